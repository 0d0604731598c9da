"""Which parameter of common inline templates is shown as it is.

`{{nowrap|…}}` or `{{lang|fr|…}}` only dress up words: prose goes on inside them.
What makes text of its own is in `made_text`; a template that is in neither shows
nothing. Pure.
"""

from handlers.page.claiming.made_text import makes_text


def _names(listed: str) -> frozenset[str]:
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
    1 text: citation needed span, cnspan, cn span, fact span, failed verification span, verification needed span, clarify span, dubious span, update inline span
    2 1: section link text, lj, plain link
    """
)
# Lists: all positional parameters are shown, one a line.
_LISTS = _names(
    """ubl,unbulleted list,ublist,plainlist,plain list,hlist,flatlist,flat list,cslist,
    comma separated entries,bulleted list,blist,collapsible list,indented plainlist,
    unbulleted,nbl,ordered list,liste"""
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


def shows(name: str) -> bool:
    """Tell whether the template leaves anything to read in running text."""
    return bool(shown_keys(name)) or makes_text(name)
