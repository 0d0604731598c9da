"""Criteria from the article itself: headings, its sections' own words and sentences."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import log

from handlers.citations.cues.reading import read
from handlers.citations.cues.words import content_stems, words
from handlers.model import (
    Criteria,
    Engine,
    Page,
    Section,
    SectionCriteria,
    Statement,
)
from handlers.updates.criteria.headings import marks_of
from handlers.updates.criteria.outline import is_open, outline_sha256
from handlers.updates.roles import Turn

_ENGINE = Engine("outline", "1")
# Weights of words; what a section says itself weighs about 0 to 2.
_HEADING = 1.0  # a word of the heading itself
_MARK = 0.3  # a word that marks sections so called everywhere
_OFTEN = 0.5  # how soon a word that is said again adds no more
_MOST_TERMS = 200
_MOST_NAMES = 6
_FEW_SENTENCES = 3
_SHARE = 0.4  # of a section's sentences that makes a kind of sentence its own
_QUOTED = re.compile(r"[“\"«„].{12,}?[”\"»“]")


class EmbeddedCriteria:
    """Fulfils `handlers.updates.roles.CriteriaMaker`."""

    def __init__(self, *, by_content: bool = True) -> None:
        """Make criteria; `by_content=False` leaves section names alone (the ablation)."""
        self._by_content = by_content

    async def criteria(
        self, page: Page, statements: Sequence[Statement]
    ) -> Turn[Criteria]:
        """Return criteria for each section of `page`, in its order."""
        by_section: dict[tuple[str, ...], list[Statement]] = {}
        for one in statements:
            by_section.setdefault(one.section, []).append(one)
        frequencies = _frequencies(by_section)
        sections = tuple(
            self._of(section, by_section.get(section.path, ()), frequencies)
            for section in _once(page.sections)
        )
        return Turn(Criteria(sections, outline_sha256(page), _ENGINE))

    def _of(
        self,
        section: Section,
        statements: Sequence[Statement],
        frequencies: "_Frequencies",
    ) -> SectionCriteria:
        weights: defaultdict[str, float] = defaultdict(float)
        for depth, heading in enumerate(reversed(section.path), start=1):
            for stem in content_stems(words(heading)):
                weights[stem] += _HEADING / depth
            if self._by_content:
                for stem in marks_of(heading):
                    weights[stem] += _MARK / depth
        if self._by_content:
            for stem, weight in frequencies.own(section.path).items():
                weights[stem] += weight
        return SectionCriteria(
            path=section.path,
            wants=tuple(_wants(section, statements)) if self._by_content else (),
            terms=tuple(
                (stem, round(weight, 3)) for stem, weight in _heaviest(weights)
            ),
            is_open=is_open(section),
        )


class _Frequencies:
    """How often each section says each word."""

    def __init__(self, counts: Mapping[tuple[str, ...], Counter[str]]) -> None:
        self._counts = counts
        self._sections = Counter(stem for count in counts.values() for stem in count)
        self._mean = sum(map(Counter.total, counts.values())) / max(len(counts), 1)

    def own(self, path: tuple[str, ...]) -> dict[str, float]:
        """Return the words of a section, the heavier the more they set it apart.

        As in BM25, a long section is not to win by its length.
        """
        count = self._counts.get(path, Counter())
        length = count.total() / self._mean if self._mean else 0.0
        return {
            stem: log(1 + len(self._counts) / self._sections[stem])
            * times
            / (times + _OFTEN * (1 + length))
            for stem, times in count.items()
        }


def _frequencies(
    by_section: Mapping[tuple[str, ...], Iterable[Statement]],
) -> _Frequencies:
    return _Frequencies(
        {
            path: Counter(
                word.stem
                for one in found
                for word in words(one.text)
                if word.is_content and not word.is_number
            )
            for path, found in by_section.items()
        }
    )


def _heaviest(weights: Mapping[str, float]) -> list[tuple[str, float]]:
    return sorted(weights.items(), key=lambda one: (-one[1], one[0]))[:_MOST_TERMS]


def _once(sections: Iterable[Section]) -> list[Section]:
    """Return the sections, of those with the same headings the first."""
    by_path: dict[tuple[str, ...], Section] = {}
    for section in sections:
        by_path.setdefault(section.path, section)
    return list(by_path.values())


def _wants(section: Section, statements: Sequence[Statement]) -> Iterator[str]:
    """Yield in plain words what kinds of facts a section holds."""
    if not section.path:
        yield "what is most important about the subject, also said further below"
    if len(statements) < _FEW_SENTENCES:
        yield f"facts that belong under “{' / '.join(section.path) or 'the lead'}”"
        return
    readings = [read(one.text) for one in statements]
    most = len(readings) * _SHARE
    if sum(bool(one.dates) for one in readings) >= most:
        yield "dated events"
    if sum(bool(one.quantities) for one in readings) >= most:
        yield "figures"
    if sum(bool(_QUOTED.search(one.text)) for one in statements) >= most:
        yield "what people or reviewers said, attributed"
    names = Counter(
        one.text[
            reading.words[name.first_word].start : reading.words[name.last_word].end
        ]
        for one, reading in zip(statements, readings, strict=True)
        for name in reading.names
    )
    common = [name for name, _ in names.most_common(_MOST_NAMES)]
    if common:
        yield f"what concerns {', '.join(common)}"
