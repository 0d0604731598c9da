"""An article's outline: its sections, the words of each, which of them take facts. Pure."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from math import log

from handlers.citations.cues.words import content_stems, words
from handlers.model import Criteria, Engine, Page, Section, SectionCriteria, Statement
from handlers.updates.headings import is_apparatus
from handlers.updates.roles import Turn

_ENGINE = Engine("outline", "2")
_HEADING = 1.0  # weight of a word of the heading; what a section says weighs 0 to 2
_OFTEN = 0.5  # how soon a word that is said again adds no more
_MOST_TERMS = 200
_SEPARATOR = "\x1f"

_Path = tuple[str, ...]


class OutlineCriteria:
    """Fulfils `handlers.updates.roles.CriteriaMaker` by the article's own words."""

    def __init__(self, *, by_content: bool = True) -> None:
        """Make criteria; `by_content=False` leaves section names alone (the ablation)."""
        self._by_content = by_content

    async def criteria(
        self, page: Page, statements: Sequence[Statement]
    ) -> Turn[Criteria]:
        """Return criteria for each section of `page`, in its order."""
        counts: dict[_Path, Counter[str]] = {}
        for one in statements if self._by_content else ():
            counts.setdefault(one.section, Counter()).update(
                word.stem
                for word in words(one.text)
                if word.is_content and not word.is_number
            )
        sections = tuple(
            SectionCriteria(
                path=section.path,
                wants=(),
                terms=tuple(_terms(section.path, counts)),
                is_open=not is_apparatus(section.path),
            )
            for section in _once(page.sections)
        )
        return Turn(Criteria(sections, outline_sha256(page), _ENGINE))


def outline_sha256(page: Page) -> str:
    """Return the fingerprint of a page's headings and their levels."""
    lines = (
        f"{section.level}{_SEPARATOR}{_SEPARATOR.join(section.path)}"
        for section in page.sections
    )
    return sha256("\n".join(lines).encode("utf-8", "replace")).hexdigest()


def _terms(
    path: _Path, counts: Mapping[_Path, Counter[str]]
) -> list[tuple[str, float]]:
    """Return a section's words, the heavier the more they set it apart, as in BM25."""
    weights: defaultdict[str, float] = defaultdict(float)
    for depth, heading in enumerate(reversed(path), start=1):
        for stem in content_stems(words(heading)):
            weights[stem] += _HEADING / depth
    own = counts.get(path, Counter[str]())
    mean = sum(one.total() for one in counts.values()) / max(len(counts), 1)
    length = own.total() / mean if mean else 0.0
    for stem, times in own.items():
        among = sum(stem in one for one in counts.values())
        often = times / (times + _OFTEN * (1 + length))
        weights[stem] += log(1 + len(counts) / among) * often
    heaviest = sorted(weights.items(), key=lambda one: (-one[1], one[0]))
    return [(stem, round(weight, 3)) for stem, weight in heaviest[:_MOST_TERMS]]


def _once(sections: Iterable[Section]) -> list[Section]:
    """Return the sections, of those with the same headings the first."""
    by_path: dict[_Path, Section] = {}
    for section in sections:
        by_path.setdefault(section.path, section)
    return list(by_path.values())
