"""What common inline templates show.

`{{nowrap|…}}` or `{{lang|fr|…}}` only format words: prose continues inside them.
`{{convert|5|km|mi}}` reads "5 km", `{{as of|2020}}` "As of 2020", `{{snd}}` a dash, and
`{{won}}` in a table "Won". What another template shows is not known, except that some
show nothing to read. Pure.
"""

import html
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

# --- Text that templates make of short values ---

_MARKUP = re.compile(
    r"\[\[(?:[^\[\]|]{0,200}\|)?([^\[\]|]{0,200})\]\]"
    r"|\{\{[^{}]{0,200}\}\}|<[^<>]{0,300}>|'{2,5}"
)
_LONGEST_VALUE = 300  # characters of one value that becomes text
_DATE_PARTS = 3
_DATE_NAMES = """
    date, dts, start date, end date, start-date, film date, birth date, birth-date,
    birth date and age, birth date and age2, bda, dob, death date, death date and age,
    death-date, death-date and age, dda, start date and age, birth year and age,
    release date, date table sorting, end-date, launch date, birth based on age as of date,
    date de naissance, fecha
"""

_TEXTUAL = "harvtxt, harvcoltxt, harvard citation text"  # citations that are words

Values = Mapping[str, str]  # by name, or position as "1", "2" …


def _names(listed: str) -> tuple[str, ...]:
    return tuple(" ".join(name.split()) for name in listed.split(","))


_MONTHS = MappingProxyType(
    {
        str(number): name
        for number, name in enumerate(
            _names(
                "January, February, March, April, May, June, July, August, September,"
                "October, November, December"
            ),
            start=1,
        )
    }
)
_SIGNS = MappingProxyType(
    {
        " ": _names("nbsp, space, spaces, thinsp, thin space, hair space, zwj"),
        " – ": _names("snd, snds, spnd, spaced ndash, spaced ndashes, spndash, sndash"),
        "–": _names("ndash, en dash, –, endash"),
        "—": _names("mdash, em dash, —, emdash, mdashb, spaced mdash"),
        " · ": _names("·, dot, middot, •, bull, bullet"),
        "'": _names("', apostrophe, '-, -'"),
        "'s": _names("'s, 's-"),
        "|": _names("!, pipe"),
        "=": _names("=, equals"),
        "yes": _names("tick, check mark, checkmark, y, aye, check, ya"),
        "no": _names("cross, x mark, xmark, nay, n"),
        "\u2212": _names("minus, \u2212"),
        "\u00d7": _names("times, \u00d7"),
        "±": _names("plus minus, plusminus, ±, pm"),
        "°": _names("deg, degree, °"),
        **{sign: (sign,) for sign in "½¼¾⅓⅔⅛⅜⅝⅞"},
        "||": ("!!",),
        '"': ('"', '-"', '"-'),
        "'\"": ("'\"", "' \"", "'-\""),
        "\"'": ("\"'", "\" '"),
        "Mgr": ("mgr",),
        "{": ("(",),
        "}": (")",),
        "-": ("-",),
        "\u02bb": ("okina",),
        "TBA": ("tba",),
        "TBD": ("tbd",),
    }
)
_FIXED = MappingProxyType(
    {name: text for text, names in _SIGNS.items() for name in names}
)
FUNCTIONS = ("formatnum:", "lc:", "uc:", "lcfirst:", "ucfirst:")
"""How parser functions begin that show what follows their colon."""
_SYMBOLS = MappingProxyType(
    {
        "US$": _names("usd, us$"),
        "$": ("$",),
        "£": _names("gbp, £, pound sterling, pound"),
        "€": _names("eur, euro, €"),
        "₹": _names("inr, indian rupee, ₹"),
        "¥": _names("jpy, ¥"),
        "CN¥": ("cny",),
        "A$": _names("aud, a$"),
        "C$": _names("cad, c$"),
        "NZ$": ("nzd",),
        "HK$": ("hkd",),
        "₱": ("php",),
        "₩": ("krw",),
        "CHF ": ("chf",),
    }
)
_CURRENCIES = MappingProxyType(
    {name: symbol for symbol, names in _SYMBOLS.items() for name in names}
)


def makes_text(name: str) -> bool:
    """Return whether `rendered` knows the template."""
    return (
        name in _FIXED
        or name in _CURRENCIES
        or name in _MADE
        or name.startswith(FUNCTIONS)
        or _converted_to(name) is not None
    )


def rendered(name: str, values: Values) -> str:
    """Return what the template shows; empty if it is unknown."""
    fixed = _FIXED.get(name)
    if fixed is not None:
        return fixed
    plain = {key: plain_value(value) for key, value in values.items()}
    if name in _CURRENCIES:
        return _CURRENCIES[name] + plain.get("1", "")
    made = _MADE.get(name)
    if made:
        return " ".join(made(plain).split())
    if name.startswith(FUNCTIONS):
        return plain["1"]
    currency = _converted_to(name)
    return _amount(currency, plain) if currency else ""


def is_beside_the_text(name: str, values: Values) -> bool:
    """Return whether it is shown elsewhere: coordinates at the top of the page."""
    is_place = _MADE.get(name) is _coordinates
    return is_place and values.get("display", "").strip() in {"title", "t"}


def plain_value(value: str) -> str:
    """Return a short value without its markup; nested templates vanish."""
    value = value[:_LONGEST_VALUE]
    if any(mark in value for mark in "[{<&'"):
        value = html.unescape(_MARKUP.sub(r"\1", value))
    return value.strip()


def _numbers(values: Values) -> list[str]:
    """Return the positional values in order."""
    found: list[str] = []
    while (value := values.get(str(len(found) + 1))) is not None:
        found.append(value)
    return found


_BETWEEN = MappingProxyType(
    {
        **dict.fromkeys(("-", "–"), "–"),
        **dict.fromkeys(("to", "to(-)"), " to "),
        **dict.fromkeys(("x", "by", "\u00d7"), " by "),
        **dict.fromkeys(("+/-", "±"), " ± "),
        **{word: f" {word} " for word in ("and", "or", "to about")},
    }
)
_FEET_AND_INCHES = 4  # values in {{convert|5|ft|11|in}}


_IN_WORDS = MappingProxyType(
    {"e3": "thousand ", "e6": "million ", "e9": "billion ", "e12": "trillion "}
)
_POWER_AND_UNIT = re.compile(r"(e(?:3|6|9|12))(\D.*)")


def _convert(values: Values) -> str:
    """`{{convert|5|km|mi}}` is "5 km", `{{convert|3|to|5|km}}` "3 to 5 km".

    If it shows only the other unit, its value is not known.
    """
    given = _numbers(values)
    if not given or values.get("disp", "").startswith(("out", "unit")):
        return ""
    text = _mixed(given[0])
    at = 1
    while at + 1 < len(given) and given[at] in _BETWEEN:
        text += _BETWEEN[given[at]] + _mixed(given[at + 1])
        at += 2
    if at < len(given):
        text += " " + _unit(given[at])
    is_compound = (
        at == 1
        and len(given) >= _FEET_AND_INCHES
        and given[2].replace(".", "", 1).isdigit()
        and given[3][:1].isalpha()
    )
    return f"{text} {given[2]} {given[3]}" if is_compound else text


_WITH_POWER = re.compile(r"([\d.,]+)[eE]\+?(-?\d+)")


def _mixed(number: str) -> str:
    """Return "12+3/4" and "3e6" as they are shown: 12 3/4, and a power of ten."""
    whole, _, part = number.partition("+")
    if "/" in part:
        return f"{whole} {part.replace('//', '/')}"
    power = _WITH_POWER.fullmatch(number)
    return power[1] + _exponent({"1": power[2]}) if power else number


def _unit(code: str) -> str:
    found = _POWER_AND_UNIT.fullmatch(code)
    return _IN_WORDS[found[1]] + found[2] if found else code


# {{INRConvert|250|c}}, {{PKRConvert|117|b}}: an amount and how large.
_CONVERTED_TO = re.compile(r"([a-z]{3})[ _]?convert")
_MAGNITUDES = MappingProxyType(
    {
        "k": " thousand",
        "m": " million",
        "b": " billion",
        "t": " trillion",
        "l": " lakh",
        "c": " crore",
        "lc": " lakh crore",
    }
)


def _converted_to(name: str) -> str | None:
    """Return the currency of the template's amount, if this is its form."""
    found = _CONVERTED_TO.fullmatch(name)
    return found[1] if found else None


def _amount(currency: str, values: Values) -> str:
    amount, how_large = values.get("1", ""), values.get("2", "").lower()
    if not amount or (how_large and how_large not in _MAGNITUDES):
        return ""
    symbol = _CURRENCIES.get(currency, f"{currency.upper()} ")
    return symbol + amount + _MAGNITUDES.get(how_large, "")


def _height(values: Values) -> str:
    units = ((key, values[key]) for key in ("m", "cm", "ft", "in") if values.get(key))
    return " ".join(f"{value} {unit}" for unit, value in units)


def _date(values: Values) -> str:
    """Three numbers, year first, become "9 July 1998"; anything else stays."""
    given = [value for value in _numbers(values) if value][:_DATE_PARTS]
    if not given or not all(value.isdecimal() for value in given):
        return " ".join(given)
    day_first = values.get("df", "") in {"y", "yes", "1", "on"}
    return _spell(given, day_first=day_first)


def _spell(numbers: list[str], *, day_first: bool) -> str:
    year, *rest = numbers
    number = rest[0].lstrip("0") if rest else ""
    month = _MONTHS.get(number)
    if not month:
        return year
    if len(rest) == 1:
        return f"{month} {year}"
    day = rest[1].lstrip("0")
    return f"{day} {month} {year}" if day_first else f"{month} {day}, {year}"


def _as_of(values: Values) -> str:
    if values.get("alt"):
        return values["alt"]
    given = [value for value in _numbers(values) if value.isdecimal()][:_DATE_PARTS]
    if values.get("since"):
        lead = "since" if values.get("lc") else "Since"
    else:
        lead = "as of" if values.get("lc") else "As of"
    return f"{lead} {_spell(given, day_first=True) if given else values.get('1', '')}"


def _lead(word: str) -> Callable[[Values], str]:
    """Put `word` before one value, or before two with a dash between them."""

    def lead(values: Values) -> str:
        return word + "–".join(_numbers(values)[:2])

    return lead


def _joined(glue: str, count: int = 9) -> Callable[[Values], str]:
    def join(values: Values) -> str:
        return glue.join(_numbers(values)[:count])

    return join


def _fraction(values: Values) -> str:
    given = _numbers(values)
    if len(given) > 2:  # noqa: PLR2004 - a whole number, then the two of the fraction
        return f"{given[0]} {given[1]}/{given[2]}"
    return "/".join(["1", *given] if len(given) == 1 else given)


def _value(values: Values) -> str:
    """`{{val|1.5|0.2|u=kg}}` is "1.5 ± 0.2 kg"; `e=` is a power of ten."""
    number, *more = [_mixed(value) for value in _numbers(values)] or [""]
    unit = values.get("u") or values.get("ul") or ""
    per = values.get("up") or values.get("upl")
    text = values.get("p", "") + number
    if more and more[0]:
        text += f" +{more[0]} \u2212{more[1]}" if more[1:] else f" ± {more[0]}"
    if values.get("e"):
        text += _exponent({"1": values["e"]})
    if values.get("end"):
        text += values["end"]
    text += values.get("s", "")
    return f"{text} {unit}{f'/{per}' if per else ''}".strip() if number else ""


def _exponent(values: Values) -> str:
    power = values.get("1", "")
    return f"\u00d710^{power}" if power else ""


def _power_of_ten(values: Values) -> str:
    power = values.get("1", "")
    return f"10^{power}" if power else ""


def _power(values: Values) -> str:
    """`{{pow|10|6}}` is a whole power, `{{^|6}}` what a number before it is raised to."""
    given = _numbers(values)[:2]
    return f"^{given[0]}" if len(given) == 1 else "^".join(given)


def _gaps(values: Values) -> str:
    """The digits of one number; what is between them is narrower than a space."""
    given = _numbers(values)
    if values.get("e"):
        given.append(_exponent({"1": values["e"]}))
    unit = values.get("u") or values.get("ul")
    return "".join([values.get("lhs", ""), *given, f" {unit}" if unit else ""])


def _with_unit(values: Values) -> str:
    """`{{unité|100|km|2}}` is "100 km²": a number, then units and their powers."""
    number, *units = _numbers(values) or [""]
    text = number + _exponent({"1": values.get("e", "")})
    for unit in units:
        is_power = unit.lstrip("+-\u2212").isdigit()
        text += unit.translate(SUPERSCRIPTS) if is_power else f" {unit}"
    return text


SUPERSCRIPTS = MappingProxyType(str.maketrans("0123456789+-\u2212", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻"))
"""What raises a sign."""


def _percentage(values: Values) -> str:
    """`{{percentage|12|48}}` is "25%"; with a third value, so many decimals."""
    try:
        part, whole = (float(value.replace(",", "")) for value in _numbers(values)[:2])
        decimals = max(0, min(int(values.get("3") or 0), _MOST_DECIMALS))
        return f"{100 * part / whole:.{decimals}f}%"
    except (ValueError, ZeroDivisionError, OverflowError):
        return ""


_MOST_DECIMALS = 9
_TWO_DAYS = 6  # numbers


def _age(values: Values) -> str:
    """Return the age on the second of two days; today's is not known here."""
    given = [int(value) for value in _numbers(values) if value.isdecimal()]
    if len(given) != _TWO_DAYS:
        return ""
    born, then = given[:3], given[3:]
    return str(then[0] - born[0] - (then[1:] < born[1:]))


def _time(values: Values) -> str:
    """`{{hms|1|20|5}}` is a time, but `{{HMS|Victory}}` a ship."""
    given = _numbers(values)
    if not given or not given[0].replace(".", "", 1).isdigit():
        return _ship("HMS")(values)
    units = ("h", "min", "s")
    return " ".join(f"{n} {unit}" for n, unit in zip(given, units, strict=False) if n)


def _ship_class(values: Values) -> str:
    """`{{sclass|Nimitz|carrier}}` is "Nimitz-class carrier"."""
    name, *kind = _numbers(values)[:2] or [""]
    return " ".join([f"{name}-class", *kind]) if name else ""


def _rating(values: Values) -> str:
    given = _numbers(values)
    return "/".join(given[:2]) if len(given) > 1 else ""


def _music(values: Values) -> str:
    shown = {"flat": "♭", "b": "♭", "sharp": "♯", "#": "♯", "natural": "♮"}
    return shown.get(values.get("1", ""), "")


def _track_gauge(values: Values) -> str:
    """`{{railgauge|1000mm}}` is "1000 mm"."""
    found = _NUMBER_AND_UNIT.fullmatch(values.get("1", ""))
    return f"{found[1]} {found[2]}" if found else ""


_NUMBER_AND_UNIT = re.compile(r"([\d.,]+) ?(mm|m|in|ft)")


_MOST_COORDINATES = 8


def _coordinates(values: Values) -> str:
    """`{{coord|52|30|N|13|24|E}}` is degrees and minutes, each with its direction."""
    shown, part = "", 0
    for value in _numbers(values)[:_MOST_COORDINATES]:
        if value.lstrip("-").replace(".", "", 1).isdigit():
            shown += value + _DEGREE_SIGNS[min(part, 2)]
            part += 1
            continue
        if value not in _DIRECTIONS:
            break
        shown, part = f"{shown}{value} ", 0
    is_decimal = part > 0  # two numbers: no letter tells which way
    return ", ".join(_numbers(values)[:2]) if is_decimal else shown


_DEGREE_SIGNS = "°\u2032\u2033"
_DIRECTIONS = frozenset("NSEWO")


def _century(values: Values) -> str:
    """`{{s-|XIX|e}}` is "XIXe siècle"."""
    number, *ending = _numbers(values)[:2] or [""]
    return f"{number}{ending[0] if ending else ''} siècle" if number else ""


def _ship(prefix: str) -> Callable[[Values], str]:
    def ship(values: Values) -> str:
        return f"{prefix} {values['1']}" if values.get("1") else ""

    return ship


def _marriage(values: Values) -> str:
    spouse, *years = _numbers(values)[:3] or [""]
    dated = "–".join(year for year in years if year)
    return f"{spouse} ({dated})" if dated else spouse


def _author_and_year(values: Values) -> str:
    """`{{harvtxt|Holm|Lund|1990|p=4}}` is "Holm & Lund (1990)"."""
    *authors, year = _numbers(values) or [""]
    if len(authors) > _MOST_AUTHORS:
        authors = [f"{authors[0]} et al."]
    *most, last = authors or [""]
    named = " & ".join([", ".join(most), last] if most else [last])
    return f"{named} ({year})" if last else ""


_MOST_AUTHORS = 3


def _chemical(values: Values) -> str:
    return "".join(_numbers(values))


_MADE: Mapping[str, Callable[[Values], str]] = MappingProxyType(
    {
        **dict.fromkeys(
            ("convert", "cvt", "converted", "conv", "convert/spell"), _convert
        ),
        **dict.fromkeys(("height", "hauteur"), _height),
        **dict.fromkeys(_names(_DATE_NAMES), _date),
        **dict.fromkeys(("as of", "asof", "à la date de"), _as_of),
        **dict.fromkeys(("circa", "c.", "ca", "ca."), _lead("c. ")),
        **dict.fromkeys(("floruit", "fl.", "fl"), _lead("fl. ")),
        **dict.fromkeys(("reign", "r."), _lead("r. ")),
        **dict.fromkeys(("born", "b."), _lead("b. ")),
        **dict.fromkeys(("died", "d."), _lead("d. ")),
        **dict.fromkeys(("frac", "fraction", "sfrac", "fract"), _fraction),
        **dict.fromkeys(("val", "numero"), _value),
        **dict.fromkeys(("unité", "unite", "nb", "unidad"), _with_unit),
        **dict.fromkeys(("gaps", "gapnum"), _gaps),
        **dict.fromkeys(_names("e, esp, x10^, x10, \u00d710^"), _exponent),
        **dict.fromkeys(("10^", "exp10"), _power_of_ten),
        **dict.fromkeys(("pow", "^"), _power),
        **dict.fromkeys(("percentage", "percent", "pct"), _percentage),
        **dict.fromkeys(("age", "age in years"), _age),
        **dict.fromkeys(("s-", "s", "sp-", "siècle", "-s-"), _century),
        "date-": _date,
        "music": _music,
        "rating": _rating,
        **dict.fromkeys(("sclass", "sclass2", "sclass-"), _ship_class),
        **dict.fromkeys(_names("railgauge, track gauge, rail gauge"), _track_gauge),
        **dict.fromkeys(("coord", "coordinates"), _coordinates),
        **dict.fromkeys(("oldstyledate", "old style date"), _joined(" ", 2)),
        **dict.fromkeys(("chem", "chem2", "ce"), _chemical),
        **dict.fromkeys(("sortname", "sort name"), _joined(" ", 2)),
        **dict.fromkeys(("marriage", "married"), _marriage),
        **dict.fromkeys(_names(_TEXTUAL), _author_and_year),
        "uss": _ship("USS"),
        "hms": _time,
        "hmas": _ship("HMAS"),
        "hmcs": _ship("HMCS"),
        "hmnzs": _ship("HMNZS"),
        "usns": _ship("USNS"),
        "uscgc": _ship("USCGC"),
        "mv": _ship("MV"),
        "ms": _ship("MS"),
        "ss": _ship("SS"),
        "rms": _ship("RMS"),
        "sms": _ship("SMS"),
        "ship": _joined(" ", 2),
    }
)


# --- Templates that show a parameter unchanged ---


def _template_names(listed: str) -> frozenset[str]:
    return frozenset(" ".join(name.split()) for name in listed.split(","))


def _words(listed: str) -> Mapping[str, str]:
    """Read lines of `words: template, template …`."""
    found = {}
    for line in listed.strip().splitlines():
        words, _, names = line.partition(":")
        found.update(dict.fromkeys(map(str.strip, names.split(",")), words.strip()))
    return MappingProxyType(found)


# Templates that colour a cell of a table and show their value, and what without one.
_CELLS = _words(
    """
    yes: yes, yes2, yes-no, yesc, yes c, yesno
    no: no, no2, noc, no c
    n/a: n/a, na
    unknown: dunno, unknown
    Nominated: nom, nominated
    Shortlisted: sho, shortlisted
    Longlisted: longlisted
    Won: won, winner, recipient
    Runner-up: runner-up, runnerup, runner up
    Partial: partial, partial2
    Gold: gold, gold1, gold01, gold medal, goldmedal
    Silver: silver, silver2, silver02, silver medal, silvermedal
    Bronze: bronze, bronze3, bronze03, bronze medal, bronzemedal
    Sometimes: sometimes, some
    """
)
_CELLS_BY_NAME = _template_names(
    """active, inactive, available, unavailable, any, bad, beta, cancelled, canceled,
    coming soon, depends, draw, dropped, eliminated, excluded, expired, failure, finalist,
    free, good, historical, honored, honoured, incorrect, included, included2, lost,
    mandatory, maybe, missing, neutral, no contest, non-free, nonfree, okay, operational,
    optional, partial failure, partial success, participated, pending, perhaps, planned,
    proprietary, prototype, qualified, rarely, regional, required, retired, safe, scheduled,
    shared, site active, site inactive, success, terminated, unofficial, unsuccessful,
    usually, varies, win, withdrawn,
    ja, nein, oui, non, sí, si, não, sim, tak, nie, éligible, gagné, nomination, nommé, perdu,
    ganador, ganadora, nominado, nominada, candidato, pendiente, parcial, teilweise, gewonnen,
    nominiert, partiel, partiellement, نعم, لا, جزئي, فوز, ترشيح"""
)


def _table(listed: str) -> dict[str, tuple[str, ...]]:
    """Read lines of `accepted parameter names: template, template …`."""
    table = {}
    for line in listed.strip().splitlines():
        keys, _, names = line.partition(":")
        for name in names.split(","):
            table[name.strip()] = tuple(keys.split())
    return table


# Which parameter a template shows: the first of these names that it has.
_SHOWN = _table(
    """
    1 text: nowrap, nobr, nobreak, nowr, small, smaller, big, larger, resize, nobold, normal, j, em, strong
    1 text: sub, sup, smallcaps, sc, sc2, smcaps, mono, mvar, var, math, keypress, key, angbr, angle bracket
    1 text: abbr, abbrlink, tooltip, define, linktext, xt, not a typo, sic, proper name, as written, nobel
    1 text: ill, interlanguage link, interlanguage link multi, ill2, illm, link-interwiki, lien, ill-wd2
    1 text: flag, flagcountry, flagu, flagdeco country, noflag, abréviation discrète, abréviation, nombre, formatnum
    1 text: highlight, vanchor, visible anchor, anchord, color link, gloss, gcl, nihongo krt, okina text
    1 text hangul: korean
    3 2: transl, transliteration, translit
    1: fb, fbw, fb-rt, fbw-rt, fbicon text, cr, cr-rt, crw, crw-rt, ru, ru-rt, bk, bkw, hb, hbw, ih, ihw, vb, vbw
    1: flagioc, flagioc2, flagiocathlete, flagathlete, flag medalist, flaglink, party name with color, noitalic, no italic, noitalics, no wrap
    2 1: url
    1 text: nihongo, nihongo2, ipablink, longitem, nowrap begin, pad, nts, number table sorting
    1 text: fontcolor text, center, centre, left, align text, block indent, poemquote, verse translation, ruby, hover title
    1 text quote: quote, cquote, blockquote, block quote, quotation, quote box, quotebox, rquote, centered pull quote, citation bloc, cita, zitat
    2 text: lang, langue, langx, sortname text, native name, native phrase, fontcolor, color, colored, font color, align, rtl-lang, wikt-lang, native name list, nativename
    1 text: tq, talk quote inline, bl, bold link, nq, nastaliq, nastaʿlīq, urd, ur, ar, fa, he, hebrew, bo-textonly, etyl text
    1 text: référence nécessaire, refnec, réf nécessaire, référence souhaitée, refsou, référence non conforme
    1 text: référence insuffisante, refins, passage à actualiser, passage non neutre, passage promotionnel, pas clair
    1 text: douteux, interprétation personnelle, précision nécessaire
    1 text: citation needed span, cnspan, cn span, fact span, failed verification span, verification needed span, clarify span, dubious span, update inline span
    2 1: section link text, lj, plain link, sort, script, script/arabic, script/hebrew, script/nastaliq, lang-text
    """
)
# Lists: all positional parameters are shown, one per line.
_LISTS = _template_names(
    """ubl,unbulleted list,ublist,plainlist,plain list,hlist,flatlist,flat list,cslist,
    comma separated entries,bulleted list,blist,collapsible list,indented plainlist,
    unbulleted,nbl,ordered list,liste"""
)


def shown_keys(name: str) -> tuple[str, ...]:
    """Return the parameters of which `name` shows one as it is; empty if it shows none.

    For a list, which shows all, this is `("*",)`.
    """
    keys = _SHOWN.get(name)
    if keys:
        return keys
    if name in _CELLS or name in _CELLS_BY_NAME:
        return ("1", "text")
    if name in _LISTS:
        return ("*",)
    if name.startswith(("lang-", "langue-", "ipa-xx")):
        return ("1", "text")
    return ()


def own_words(name: str) -> str:
    """Return what a template of a table's cell shows without a value, else nothing."""
    return _CELLS.get(name, name.capitalize() if name in _CELLS_BY_NAME else "")


# --- Templates that show nothing to read ---

# Pictures, sounds, places for links, room between words; and how a word is pronounced,
# which no source is cited for.
_SILENT = _template_names(
    """flagicon, flagicon image, flag icon, flagdeco, cflag, fbicon, drapeau2,
    icon, increase, decrease, steady, up, down, gain, profit, strike, strikethrough, del, positive, negative,
    increasenegative, decreasepositive, arrow up, arrow down, nochange, same,
    color box, colorbox, legend, legend0, legend inline, party color cell, party color,
    party shading, rh, rh2, cell style,
    anchor, anchors, visanc, shy, wbr, zwnj, clear, clr, br, break, -, tab, indent, spaces,
    0, 00, figure space, pad0, padlsup, comma separated footnotes, sup footnote, smallsup,
    augmentation, diminution, citekill, updated, external media, externalvideo, claimedby,
    sep entry, oclc, issn, lccn, jstor, bibcode, asin, s2cid, hdl, ol, imdb name, imdb title,
    official website, google books, gutenberg, zh, zh-full, contains special characters,
    respell, audio, listen, pronunciation, pron, pronunc, audio-ipa, loudspeaker, sound,
    extent, columns-list, col-begin, col-break, col-2, col-3, col-4, col-end, div col,
    div col end, colend, end div col, multicol, multicol-end, refbegin, refend, toc, tocright,
    small begin, small end, nowrap end, nobold end, end, stack, stack end, stack begin,
    main, see also, further, void, null, hidden begin, hidden end, use dmy dates,
    use mdy dates, refimprove, sfn whitelist, commons category-inline, dagger, double-dagger,
    double dagger, ddagger, asterisk, star, hash, #, *, **, efn label, ref label, note label,
    ref, note, footnote label, cref, cref2, cnote, cnote2, ent, section link, slink, sup tag,
    navbar, navbar-header, edit, v, sort key, nosort, hidden sort key, hs, ntsh,
    nowiki, tl, clade, graph, ipa, ipa-all, api, prononciation, ipac"""
)
_SILENT_BEGINNINGS = (
    "ipa-", "ipac-", "flagicon", "displaytitle:", "defaultsort:", "#tag:", "cite ", "refn",
    "efn", "infobox", "use ", "#vardefine:", "anchor", "expand ", "external media", ",",
)  # fmt: skip


def is_silent(name: str) -> bool:
    """Return whether the template is known to show nothing that a source could say."""
    return (
        name in _SILENT
        or name.startswith(_SILENT_BEGINNINGS)
        or _LANGUAGE_ICON.fullmatch(name) is not None
    )


_LANGUAGE_ICON = re.compile(r"[a-z]{2,3} icon")


def is_quotation(keys: tuple[str, ...]) -> bool:
    """Return whether a template with these `shown_keys` is a separate paragraph."""
    return "quote" in keys


def shows(name: str) -> bool:
    """Return whether the template leaves anything to read in running text."""
    return bool(shown_keys(name)) or makes_text(name)
