"""Short citations ("Smith 2001, p. 3") and the full ones that they stand for.

They meet where MediaWiki's anchors meet: by the authors' surnames and the year,
or by the `ref=` of the full citation. The full one may stand anywhere. Pure.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from handlers.model import Source
from handlers.page.citing.sources import FullCitation
from handlers.page.scanning.elements import Element
from handlers.page.scanning.markup import plain_text
from handlers.page.scanning.parameters import parameters_of

_YEAR = re.compile(
    r"(?:c\. ?|c)?(\d{3,4}[a-z]?)\b|\b(?:n\. ?d\.?|nd)(?![a-z])", re.IGNORECASE
)
_HARVID = re.compile(
    r"\{\{\s*+(?:harvid|sfnref)\s*+\|([^{}]{1,500})\}\}", re.IGNORECASE
)
_NUMBERED = re.compile(r"(\d{1,2})(a[1-4]|y|p|pp|loc|ref)")
_MOST_NAMES = 4  # an anchor holds no more
_PAGE_NAMES = ("p", "pp", "page", "pages", "loc", "at")


@dataclass(frozen=True, slots=True)
class ShortCitation:
    """One "Smith & Jones 2001, p. 3"."""

    surnames: tuple[str, ...]
    year: str
    pages: str | None
    ref: str | None = None  # names the anchor itself

    @property
    def label(self) -> str:
        """Return it as a reader would write it, without pages."""
        return " ".join(part for part in (" & ".join(self.surnames), self.year) if part)


class Bibliography:
    """The full citations of a page, found by their anchors."""

    def __init__(self, citations: Iterable[FullCitation]) -> None:
        self._by_anchor: dict[str, Source] = {}
        for citation in citations:
            for anchor in _anchors(citation):
                self._by_anchor.setdefault(anchor, citation.source)

    def find(self, short: ShortCitation) -> Source | None:
        """Return the source that `short` stands for, or `None`."""
        if short.ref:
            return self._by_anchor.get(_fold(short.ref))
        return self._by_anchor.get(_anchor(short.surnames, short.year))


def read_short(text: str, template: Element) -> tuple[ShortCitation, ...]:
    """Read `{{sfn|…}}` and its like; `{{sfnm}}` names several."""
    values = {
        name.lower(): plain_text(text[start:end])
        for name, start, end in parameters_of(text, template)
        if start < end
    }
    if template.name in {"sfnm", "sfnmp"}:
        return _read_several(values)
    if template.name == "harvs":
        return _read_years(values)
    return (_read_one(values),)


def _read_one(values: Mapping[str, str]) -> ShortCitation:
    given = [values[name] for name in "12345678" if name in values]
    year = values.get("year") or values.get("date") or ""
    if given and not year and _YEAR.match(given[-1]):
        year = given.pop()
    return ShortCitation(
        tuple(given)[:_MOST_NAMES], _year_in(year), _pages(values), values.get("ref")
    )


def _read_years(values: Mapping[str, str]) -> tuple[ShortCitation, ...]:
    """Read `{{harvs|txt|last=Smith|last2=Jones|year=2001|year2=2003}}`."""
    people = ("author", "last", "last1", "last2", "last3", "last4")
    surnames = tuple(values[name] for name in people if name in values)
    years = ("year", "year1", "year2", "year3", "year4", "year5")
    return tuple(
        ShortCitation(surnames[:_MOST_NAMES], _year_in(values[name]), _pages(values))
        for name in years
        if name in values
    )


def _read_several(values: Mapping[str, str]) -> tuple[ShortCitation, ...]:
    """Read `{{sfnm|1a1=Smith|1y=2001|1p=3|2a1=Jones|2y=2005}}`."""
    parts: dict[int, dict[str, str]] = {}
    for name, value in values.items():
        if found := _NUMBERED.fullmatch(name):
            parts.setdefault(int(found[1]), {})[found[2]] = value
    positional = [values[str(at)] for at in range(1, 41) if str(at) in values]
    for at in range(0, len(positional) - 1, 2):
        name, year = positional[at : at + 2]
        parts.setdefault(at // 2 + 1, {}).update(a1=name, y=year)
    return tuple(
        ShortCitation(
            tuple(part[key] for key in ("a1", "a2", "a3", "a4") if key in part),
            _year_in(part.get("y", "")),
            _pages(part),
            part.get("ref"),
        )
        for _, part in sorted(parts.items())
    )


def _pages(values: Mapping[str, str]) -> str | None:
    return next((values[name] for name in _PAGE_NAMES if values.get(name)), None)


def _year_in(value: str) -> str:
    found = _YEAR.search(value)
    if found is None:
        return ""
    return found[1].lower() if found[1] else "n.d."


def _anchors(citation: FullCitation) -> list[str]:
    anchors = []
    surnames = citation.surnames()[:_MOST_NAMES]
    if surnames:
        year = _year_in(citation.year or "")
        anchors.append(_anchor(surnames, year))
        # Many citations give "Smith, John" or "John Smith" as one author.
        last_words = tuple([_surname(name) for name in surnames])
        if last_words != surnames:
            anchors.append(_anchor(last_words, year))
    ref = citation.anchor
    if not ref:
        return anchors
    if named := _HARVID.search(ref):
        given = [plain_text(part) for part in named[1].split("|") if part.strip()]
        year = _year_in(given.pop()) if given and _YEAR.match(given[-1]) else ""
        anchors.insert(0, _anchor(given, year))
    elif "{{" not in ref and ref.lower() not in {"harv", "none"}:
        anchors.insert(0, _fold(ref))
    return anchors


def _surname(name: str) -> str:
    if "," in name:
        return name.partition(",")[0]
    return name.rpartition(" ")[2]


def _anchor(surnames: Iterable[str], year: str) -> str:
    return _fold("citeref" + "".join(surnames) + year)


def _fold(anchor: str) -> str:
    return "".join(anchor.replace("_", " ").split()).casefold()
