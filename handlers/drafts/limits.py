"""What a dossier may show of a source: few words, and care about people.

At most 15 % of a source's words are quoted, and no more than 40 in a row; the rest is
only linked. Statements about a person's wrongdoing, health or private life, and all
statements on a contentious topic, need two sites or one that the wiki regards as
reliable (en.wikipedia.org/wiki/WP:BLP). Pure; the guard awaits the encoder.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import date
from operator import ge

from handlers.drafts.candidates import MOST_WORDS, folded, names_somebody, site_of
from handlers.model import (
    DraftDocument,
    DraftSection,
    DraftSentence,
    Left,
    LeftOut,
    Page,
    PageId,
    Span,
    Topic,
)
from handlers.ports import TextEncoder
from handlers.updates.subject import is_sensitive

MOST_SHARE = 0.15
_SHOWN_CHARS = 80  # of a sentence that was left out
_WORD = re.compile(r"\w")


class Allowance:
    """What may still be quoted of each document."""

    def __init__(self, documents: Iterable[DraftDocument]) -> None:
        self._texts = {one.number: one.text for one in documents}
        self._left = {
            number: int(MOST_SHARE * len(text.split()))
            for number, text in self._texts.items()
        }
        self._quoted: dict[int, list[Span]] = {}

    def spend(self, document: int, span: Span) -> bool:
        """Count `span` as quoted, if it may be after what was; return whether it may."""
        quoted = self._quoted.setdefault(document, [])
        if any(_holds(one, span) for one in quoted):
            return True
        text = self._texts.get(document, "")
        count, run = len(span.of(text).split()), self._joined(document, span)
        is_long = len(run.of(text).split()) > MOST_WORDS
        if is_long or count > self._left.get(document, 0):
            return False
        self._left[document] -= count
        quoted[:] = [one for one in quoted if not _holds(run, one)] + [run]
        return True

    def _joined(self, document: int, span: Span) -> Span:
        """Return `span` joined with the quotes that no word separates from it."""
        text = self._texts[document]
        start, end = span.start, span.end
        for one in sorted(self._quoted.get(document, ()), key=lambda each: each.start):
            gap = text[min(end, one.end) : max(start, one.start)]
            if not _WORD.search(gap):
                start, end = min(start, one.start), max(end, one.end)
        return Span(start, end)


def _holds(one: Span, other: Span) -> bool:
    return one.start <= other.start and other.end <= one.end


def limited(
    sections: Sequence[DraftSection], documents: Sequence[DraftDocument]
) -> tuple[tuple[DraftSection, ...], tuple[LeftOut, ...]]:
    """Return sections within the allowance, and the quotes that exceeded it.

    A quote that exceeds it is removed from the draft. A sentence that a model wrote
    stays, but passages that may no longer be shown are marked. The lead comes first.
    """
    allowance, left_out = Allowance(documents), []

    def spent(section: DraftSection, one: DraftSentence) -> DraftSentence | None:
        # Only the first source's words are shown for a quote. Others that say the same
        # are named, but their words would add nothing.
        cites = tuple(
            replace(
                cite,
                is_shown=not (at and one.is_quote)
                and allowance.spend(cite.chunk.document, cite.evidence.span),
            )
            for at, cite in enumerate(one.cites)
        )
        if one.is_quote and not cites[0].is_shown:
            what = one.text[:_SHOWN_CHARS]
            left_out.append(LeftOut(what, Left.TOO_MUCH, section.heading))
            return None
        return replace(one, cites=cites)

    return with_each(sections, spent), tuple(left_out)


def with_each(
    sections: Sequence[DraftSection],
    made: Callable[[DraftSection, DraftSentence], DraftSentence | None],
) -> tuple[DraftSection, ...]:
    """Return sections with `made` applied to each sentence, without empty sections."""
    retained = []
    for section in sections:
        paragraphs = [
            tuple(new for one in paragraph if (new := made(section, one)))
            for paragraph in section.paragraphs
        ]
        if any(paragraphs):
            paragraphs = [one for one in paragraphs if one]
            retained.append(replace(section, paragraphs=tuple(paragraphs)))
    return tuple(retained)


# Statements about people that need care, each with the cosine from which a sentence
# counts as one. Of 10 such sentences 9 reached one of the first four, of 12 others 1 did
# (a court's ruling), but none of 5 about a drug gang, which the last two are for; of
# 150 sentences on other topics none reaches these two.
_HARMFUL = {
    "Somebody is accused or suspected of a crime or misconduct, or was found guilty.": 0.22,
    "He was arrested and charged with a crime.": 0.22,
    "She was accused of fraud, corruption or abuse.": 0.22,
    "the illness and private life of a person": 0.22,
    "The gang made millions from drugs, guns and extortion.": 0.36,
    "He is the head of a criminal gang.": 0.36,
}
_IS_SAID = 0.7  # the verifier's probability from which another source says it too


def is_contentious(topic: Topic) -> bool:
    """Return whether a topic is one with stricter rules.

    It has no categories yet, so its name and hint are used as one.
    """
    named = " ".join(re.sub(r"[\[\]{}|]", " ", f"{topic.title} {topic.hint}").split())
    page = PageId(f"{topic.language}.wikipedia.org", topic.title)
    # The day is only needed for categories about ages; a topic has none.
    page_of_it = Page(page, f"[[Category:{named}]]", (), (), (), ())
    return is_sensitive(page_of_it, date.min)


async def guarded(
    topic: Topic,
    sections: Sequence[DraftSection],
    documents: Sequence[DraftDocument],
    encoder: TextEncoder,
) -> tuple[tuple[DraftSection, ...], tuple[LeftOut, ...]]:
    """Return sections without what a single unproven source says of people, and that.

    A name does not show whether the person is alive, so everyone is assumed to be.
    """
    by_number = {one.number: one for one in documents}
    reliable = {one.number for one in documents if one.is_reliable}
    sites = {one.number: site_of(one) for one in documents}

    def is_proven(one: DraftSentence) -> bool:
        sure = [one.cites[0]] + [
            each for each in one.cites[1:] if (each.probability or 0) >= _IS_SAID
        ]
        cited = {each.chunk.document for each in sure}
        quotes = {folded(each.evidence.quote) for each in sure}
        # The same words on two sites are one report, republished.
        is_said_twice = len({sites.get(at) or at for at in cited}) > 1 < len(quotes)
        return bool(cited & reliable) or is_said_twice

    doubtful = [
        one.text
        for section in sections
        for one in section.sentences
        if not is_proven(one)
    ]
    if not is_contentious(topic):
        doubtful = await _harmful(doubtful, encoder)
    left_out = []

    def proven(section: DraftSection, one: DraftSentence) -> DraftSentence | None:
        if one.text not in doubtful:
            return one
        # The words are what must not be shown, so only the page is named.
        source = by_number[one.cites[0].chunk.document]
        left_out.append(LeftOut(source.name, Left.ONE_SOURCE, section.heading))
        return None

    return with_each(sections, proven), tuple(dict.fromkeys(left_out))


async def _harmful(texts: Sequence[str], encoder: TextEncoder) -> list[str]:
    """Return those that may harm a person they name."""
    naming = [one for one in texts if names_somebody(one)]
    if not naming:
        return []
    near = await encoder.likeness(naming, list(_HARMFUL))
    return [
        one
        for one, each in zip(naming, near, strict=True)
        if any(map(ge, each, _HARMFUL.values()))
    ]
