"""What common inline templates show, so that a claim reads as on the page.

Some templates show one of their parameters as it is (`{{nowrap|…}}`): prose goes on
inside it. Others make text of short values (`{{convert|5|km|mi}}`): that text is
written here. A template that is in neither table shows nothing. Pure.
"""

import html
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

_MARKUP = re.compile(
    r"\[\[(?:[^\[\]|]{0,200}\|)?([^\[\]|]{0,200})\]\]|\{\{[^{}]{0,200}\}\}|<[^<>]{0,300}>|'{2,5}"
)
_LONGEST_VALUE = 300  # characters of one value that becomes text
_FIRST_MONTHS = ("January", "February", "March", "April", "May", "June", "July")
_MONTHS = (*_FIRST_MONTHS, "August", "September", "October", "November", "December")
_DATE_PARTS = 3

Values = Mapping[str, str]  # by name, or position as "1", "2" …


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
    1 text: nihongo, nihongo2, korean, ipablink, longitem, nowrap begin, pad, nts, ntsh show, number table sorting
    1 text: fontcolor text, center, centre, left, align text, block indent, poemquote, verse translation, ruby, hover title
    1 text quote: quote, cquote, blockquote, block quote, quotation, quote box, quotebox, rquote, centered pull quote, citation bloc, cita, zitat
    2 text: lang, langue, transl, transliteration, translit, script/arabic, script/hebrew, sort, sortname text, native name, native phrase, fontcolor, color, colored, font color, align, rtl-lang, wikt-lang, native name list, nativename
    1 text: tq, talk quote inline
    1 text: citation needed span, cnspan, cn span, fact span, failed verification span, verification needed span, clarify span, dubious span, update inline span
    2 1: section link text, lj, plain link
    """
)
# Lists: all positional parameters are shown, one a line.
_LISTS = frozenset(
    """ubl,unbulleted list,ublist,plainlist,plain list,hlist,flatlist,flat list,cslist,
    comma separated entries,bulleted list,blist,collapsible list,indented plainlist,
    unbulleted,nbl,ordered list,liste""".replace("\n", "")
    .replace("    ", "")
    .split(",")
)
_FIXED = MappingProxyType(
    {
        **dict.fromkeys(
            ("nbsp", "space", "spaces", "thinsp", "thin space", "hair space", "zwj"),
            " ",
        ),
        **dict.fromkeys(
            (
                "snd",
                "snds",
                "spaced ndashes",
                "spnd",
                "spaced ndash",
                "spndash",
                "sndash",
                "dash",
            ),
            " – ",
        ),
        **dict.fromkeys(("ndash", "en dash", "–", "endash"), "–"),
        **dict.fromkeys(
            ("mdash", "em dash", "—", "emdash", "mdashb", "spaced mdash"), "—"
        ),
        **dict.fromkeys(("·", "dot", "middot", "•", "bull", "bullet", "\\"), " · "),
        **dict.fromkeys(("'", "apostrophe", "'-", "-'"), "'"),
        **dict.fromkeys(("'s", "'s-"), "'s"),
        **dict.fromkeys(('"', "' \""), '"'),
        **dict.fromkeys(("!", "pipe"), "|"),
        **dict.fromkeys(("=", "equals"), "="),
        "!!": "||",
        "(": "{",
        ")": "}",
        "-": "-",
        ",": ",",
        "okina": "\u02bb",
        "pound": "£",
        "yes": "yes",
        "no": "no",
        "yes2": "yes",
        "no2": "no",
        "tick": "yes",
        "cross": "no",
        "n/a": "n/a",
        "na": "n/a",
        "tba": "TBA",
        "tbd": "TBD",
    }
)
_FUNCTIONS = ("formatnum:", "lc:", "uc:", "lcfirst:", "ucfirst:")
_CURRENCIES = MappingProxyType(
    {
        "usd": "US$",
        "us$": "US$",
        "$": "$",
        "gbp": "£",
        "£": "£",
        "pound sterling": "£",
        "eur": "€",
        "euro": "€",
        "€": "€",
        "inr": "₹",
        "indian rupee": "₹",
        "₹": "₹",
        "jpy": "¥",
        "¥": "¥",
        "cny": "CN¥",
        "aud": "A$",
        "a$": "A$",
        "cad": "C$",
        "c$": "C$",
        "nzd": "NZ$",
        "hkd": "HK$",
        "php": "₱",
        "krw": "₩",
        "chf": "CHF ",
    }
)


def shown_keys(name: str) -> tuple[str, ...]:
    """Return the parameters one of which `name` shows as it is; none if it does not.

    The answer is `("*",)` for a list, which shows all.
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
    """Tell by its `shown_keys` whether a template is a paragraph of its own."""
    return "quote" in keys


def makes_text(name: str) -> bool:
    """Tell whether `rendered` knows the template."""
    return (
        name in _FIXED
        or name in _CURRENCIES
        or name in _MADE
        or name.startswith(_FUNCTIONS)
    )


def shows(name: str) -> bool:
    """Tell whether the template leaves anything to read in running text."""
    return bool(shown_keys(name)) or makes_text(name)


def rendered(name: str, values: Values) -> str:
    """Return what the template shows; empty if it is not known."""
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


# --- the templates that make text ---


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
    if not given or not all(value.isdigit() for value in given):
        return " ".join(given)
    day_first = values.get("df", "") in {"y", "yes", "1", "on"}
    return _spell(given, day_first=day_first)


def _spell(numbers: list[str], *, day_first: bool) -> str:
    year, *rest = numbers
    if not rest or not 1 <= int(rest[0][:3]) <= len(_MONTHS):
        return year
    month = _MONTHS[int(rest[0]) - 1]
    if len(rest) == 1:
        return f"{month} {year}"
    day = rest[1].lstrip("0")
    return f"{day} {month} {year}" if day_first else f"{month} {day}, {year}"


def _as_of(values: Values) -> str:
    if values.get("alt"):
        return values["alt"]
    given = [value for value in _numbers(values) if value.isdigit()][:_DATE_PARTS]
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
    end = values.get("end", "")
    dated = "–".join(year for year in years if year)
    return (
        f"{spouse} ({'; '.join(part for part in (dated, end) if part)})"
        if dated
        else spouse
    )


def _chemical(values: Values) -> str:
    return "".join(_numbers(values))


_MADE: Mapping[str, Callable[[Values], str]] = MappingProxyType(
    {
        **dict.fromkeys(
            ("convert", "cvt", "converted", "conv", "convert/spell"), _convert
        ),
        **dict.fromkeys(("height", "hauteur"), _height),
        **dict.fromkeys(
            (
                "date",
                "dts",
                "start date",
                "end date",
                "start-date",
                "film date",
                "birth date",
                "birth date and age",
                "birth-date",
                "birth date and age2",
                "bda",
                "dob",
                "death date",
                "death date and age",
                "death-date",
                "death-date and age",
                "dda",
                "start date and age",
                "birth year and age",
                "release date",
                "date table sorting",
                "launch date",
                "birth based on age as of date",
                "date de naissance",
                "fecha",
            ),
            _date,
        ),
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
