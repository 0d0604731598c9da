"""Pages that are no articles: redirects and disambiguation pages. Pure."""

# ruff: noqa: RUF001  (the words of other languages are meant)

import re
from collections.abc import Iterable

from handlers.page.scanning.elements import Element

_REDIRECT = re.compile(
    r"\s*+#\s*+(?:redirect|weiterleitung|redirection|redirecci[óo]n|redirecionamento"
    r"|rinvia|rinvio|doorverwijzing|patrz|przekieruj|tam|перенаправление|перенапр"
    r"|перенаправлення|omdirigering|omdiriger|viderestilling|ohjaus|uudelleenohjaus"
    r"|átirányítás|yönlendirme|yönlendir|přesměruj|redireciona|преусмери|đổi|転送"
    r"|リダイレクト|重定向|넘겨주기|تحويل|تغییر_مسیر|הפניה)\s*+:?\s*+\[\[\s*+:?([^\[\]|#\n]*+)",
    re.IGNORECASE,
)
_DISAMBIGUATION = frozenset(
    """disambiguation,disambig,disamb,dab,dbig,hndis,geodis,hndab,geodab,mathdab,mathdis,
    schooldis,numberdis,roaddis,shipdis,tndis,surnamedis,hospitaldis,airport disambig,
    callsigndis,begriffsklärung,homonymie,homonymes,toponymie,patronymie,desambiguación,
    desambig,desambiguação,disambigua,dp,doorverwijspagina,неоднозначность,
    багатозначність,ujednoznacznienie,rozcestník,förgrening,flertydig,peker,egyért,
    anlam ayrımı,消歧义,消歧義,曖昧さ回避,aimai,동음이의,توضيح,ابهام‌زدایی,פירושונים""".replace(
        "\n", ""
    )
    .replace("    ", "")
    .split(",")
)
_NOT_THE_PAGE = ("disambiguation needed", "for disambiguation", "no disambiguation")
_MAGIC_WORD = "__DISAMBIG__"


def redirect_target(wikitext: str) -> str | None:
    """Return the title that the page redirects to; `None` if it is no redirect."""
    found = _REDIRECT.match(wikitext)
    if not found:
        return None
    return " ".join(found[1].replace("_", " ").split()) or None


def is_disambiguation(wikitext: str, elements: Iterable[Element]) -> bool:
    """Tell a page that only lists pages of the same name."""
    if _MAGIC_WORD in wikitext:
        return True
    names = {element[6] for element in elements}  # few, and faster than by attribute
    return any(map(_marks_disambiguation, names))


def _marks_disambiguation(name: str) -> bool:
    if name in _DISAMBIGUATION:
        return True
    return name.endswith(" disambiguation") and name not in _NOT_THE_PAGE
