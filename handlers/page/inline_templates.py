"""What common inline templates show.

`{{nowrap|…}}` or `{{lang|fr|…}}` only format words: prose continues inside them.
`{{convert|5|km|mi}}` reads "5 km", `{{as of|2020}}` "As of 2020", `{{snd}}` a dash. A
template that is not listed shows nothing. Pure.
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
    release date, date table sorting, launch date, birth based on age as of date,
    date de naissance, fecha
"""

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
        "yes": _names("yes, yes2, tick"),
        "no": _names("no, no2, cross"),
        "n/a": _names("n/a, na"),
        "||": ("!!",),
        '"': ('"',),
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
_FUNCTIONS = ("formatnum:", "lc:", "uc:", "lcfirst:", "ucfirst:")
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
        or name.startswith(_FUNCTIONS)
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
    return plain_value(name.partition(":")[2]) if name.startswith(_FUNCTIONS) else ""


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


def _convert(values: Values) -> str:
    """`{{convert|5|km|mi}}` is "5 km", `{{convert|3|to|5|km}}` "3 to 5 km"."""
    given = _numbers(values)
    text = given[0] if given else ""
    at = 1
    while at + 1 < len(given) and given[at] in _BETWEEN:
        text += _BETWEEN[given[at]] + given[at + 1]
        at += 2
    if at < len(given):
        text += " " + given[at]
    if (
        len(given) >= _FEET_AND_INCHES
        and given[1] in {"ft", "lb", "st"}
        and given[2].isdigit()
    ):
        text += f" {given[2]} {given[3]}"
    return text


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
    unit = values.get("u") or values.get("ul") or ""
    return " ".join(
        part for part in (values.get("p", "") + values.get("1", ""), unit) if part
    )


def _ship(prefix: str) -> Callable[[Values], str]:
    def ship(values: Values) -> str:
        return f"{prefix} {values.get('1', '')}"

    return ship


def _marriage(values: Values) -> str:
    spouse, *years = _numbers(values)[:3] or [""]
    dated = "–".join(year for year in years if year)
    return f"{spouse} ({dated})" if dated else spouse


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
        **dict.fromkeys(("unité", "unite", "gaps", "nb", "unidad"), _joined(" ", 2)),
        **dict.fromkeys(("chem", "chem2", "ce"), _chemical),
        **dict.fromkeys(("sortname", "sort name"), _joined(" ", 2)),
        **dict.fromkeys(("marriage", "married"), _marriage),
        "uss": _ship("USS"),
        "hms": _ship("HMS"),
        "hmas": _ship("HMAS"),
        "ss": _ship("SS"),
        "rms": _ship("RMS"),
        "sms": _ship("SMS"),
        "ship": _joined(" ", 2),
    }
)


# --- Templates that show a parameter unchanged ---


def _template_names(listed: str) -> frozenset[str]:
    return frozenset(" ".join(name.split()) for name in listed.split(","))


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
    1 text: strike, sub, sup, smallcaps, sc, sc2, smcaps, mono, mvar, var, math, keypress, key, angbr, angle bracket
    1 text: abbr, abbrlink, tooltip, define, linktext, xt, not a typo, sic, proper name, as written, nobel
    1 text: ill, interlanguage link, interlanguage link multi, ill2, illm, link-interwiki, lien, ill-wd2
    1 text: flag, flagcountry, flagu, flagdeco country, noflag, abréviation discrète, abréviation, nombre, formatnum
    1 text: highlight, vanchor, visible anchor, anchord, color link, gloss, gcl, nihongo krt, okina text, script
    1 text: nihongo, nihongo2, korean, ipablink, longitem, nowrap begin, pad, nts, number table sorting
    1 text: fontcolor text, center, centre, left, align text, block indent, poemquote, verse translation, ruby, hover title
    1 text quote: quote, cquote, blockquote, block quote, quotation, quote box, quotebox, rquote, centered pull quote, citation bloc, cita, zitat
    2 text: lang, langue, transl, transliteration, translit, script/arabic, script/hebrew, sort, sortname text, native name, native phrase, fontcolor, color, colored, font color, align, rtl-lang, wikt-lang, native name list, nativename
    1 text: tq, talk quote inline
    1 text: référence nécessaire, refnec, réf nécessaire, référence souhaitée, refsou, référence non conforme
    1 text: référence insuffisante, refins, passage à actualiser, passage non neutre, passage promotionnel, pas clair
    1 text: douteux, interprétation personnelle, précision nécessaire
    1 text: citation needed span, cnspan, cn span, fact span, failed verification span, verification needed span, clarify span, dubious span, update inline span
    2 1: section link text, lj, plain link
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
    if name in _LISTS:
        return ("*",)
    if name.startswith(("lang-", "langue-", "ipa-xx")):
        return ("1", "text")
    return ()


def is_quotation(keys: tuple[str, ...]) -> bool:
    """Return whether a template with these `shown_keys` is a separate paragraph."""
    return "quote" in keys


def shows(name: str) -> bool:
    """Return whether the template leaves anything to read in running text."""
    return bool(shown_keys(name)) or makes_text(name)
