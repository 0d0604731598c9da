"""The extractor's flow: the document, its sentences, their sections, the best of them."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from handlers.citations.addresses import host_of
from handlers.citations.better.reliability import ReliabilityLists
from handlers.model import (
    CandidateUpdate,
    Evidence,
    Extracted,
    Ignored,
    PassedOver,
    SourceReading,
    SourceText,
    Subject,
)
from handlers.ports import TextEncoder
from handlers.updates.extracting import fiction, sites, voice
from handlers.updates.extracting.about import About, Focus, opening
from handlers.updates.extracting.copies import Original
from handlers.updates.extracting.dating import Days, page_days
from handlers.updates.extracting.languages import (
    language_of_document,
    languages_of_article,
)
from handlers.updates.extracting.picking import On, Picked, Picker, Prose, Refused
from handlers.updates.extracting.policy import ExtractionPolicy
from handlers.updates.placing import SectionFit, place
from handlers.updates.roles import Turn

_WORD = re.compile(r"[^\W\d_]+")
_LONGEST_TOLD = 300  # characters of a quote that was passed over


_NAMES, _NEAREST, _SECTION = 0.25, 0.5, 0.25  # add up to 1
_STRANGE = "it has little to do with what the article says"
_RETOLD = "its place is where the work is retold, which takes no sources"
_BETTER = "the page says better things on the subject"


@dataclass(frozen=True, slots=True)
class _Scored:
    """A quote with its section, and how well it fits."""

    picked: Picked
    section: tuple[str, ...]
    score: float


@dataclass(frozen=True, slots=True)
class _Known:
    """What is made once of an article, for all documents."""

    subject: Subject
    picker: Picker
    original: Original
    languages: frozenset[str]
    opening: str


class EmbeddedExtractor:
    """Fulfils `handlers.updates.roles.Extractor`."""

    def __init__(
        self,
        encoder: TextEncoder,
        lists: ReliabilityLists | None = None,
        policy: ExtractionPolicy | None = None,
    ) -> None:
        """Take quotes only, as many and as good as `policy` says.

        Args:
            encoder: compares sentences with the article's sections.
            lists: how wikis regard sites; where there are none, every site counts.
            policy: bounds; the default suits the encoder that ships.
        """
        self._encoder = encoder
        self._lists = lists or ReliabilityLists(())
        self._policy = policy or ExtractionPolicy()
        self._known: _Known | None = None

    async def extract(
        self, subject: Subject, reading: SourceReading, search: str
    ) -> Turn[Extracted]:
        """Return what `reading`, which has a document, says that may be new."""
        document = reading.document
        if document is None:
            return _nothing(Ignored.NOT_READ, reading.detail, None)
        known = self._of(subject)
        page = page_days(document)
        refused = self._refused(known, reading, document, page)
        if refused is not None:
            return _nothing(*refused, reading.url)
        prose = known.picker.prose(document)
        focus = await self._focus(known, document, prose)
        if focus is Focus.NONE:
            detail = "the page does not speak of the subject"
            return _nothing(Ignored.NOT_ABOUT_SUBJECT, detail, reading.url)
        host = host_of(reading.url or reading.source.url or "")
        picking = known.picker.pick(
            document,
            prose,
            On(focus, page, host, _is_review(document.title or "")),
        )
        picked = sorted(picking.picked, key=lambda one: -one.cheap)
        compared = picked[: self._policy.most_compared]
        fits = await place(subject, [one.text for one in compared], self._encoder)
        taken, refusals = self._best(known, compared, fits)
        candidates = tuple(
            _candidate(each, reading, document, search) for each in taken
        )
        told = _told([*refusals, *picking.refused], self._policy.most_told)
        return Turn(Extracted(candidates, told))

    def _of(self, subject: Subject) -> _Known:
        if self._known is None or self._known.subject is not subject:
            languages = languages_of_article(subject)
            picker = Picker(
                subject=subject,
                about=About(subject),
                known_words=_known_words(subject),
                languages=languages,
                most_chars=self._policy.most_chars,
                of_fiction=fiction.is_fiction(subject),
            )
            original = Original(subject.statements)
            said = [one.text for one in subject.statements]
            self._known = _Known(
                subject, picker, original, languages, opening(subject.names[0], said)
            )
        return self._known

    async def _focus(self, known: _Known, document: SourceText, prose: Prose) -> Focus:
        title = document.title or document.imprint.title or ""
        first = opening(title, prose.texts)
        [[likeness]] = await self._encoder.likeness([known.opening], [first])
        return known.picker.about.focus(title, prose.texts, likeness)

    def _refused(
        self,
        known: _Known,
        reading: SourceReading,
        document: SourceText,
        page: Days | None,
    ) -> tuple[Ignored, str] | None:
        """Return why nothing of a document can be used, if so."""
        subject = known.subject
        address = reading.url or reading.source.url or ""
        reliability = self._lists.of(address, subject.page.id.wiki)
        if not reliability.trust.may_be_recommended:
            return Ignored.UNRELIABLE, reliability.note
        of_a_kind = sites.fault(address)
        if of_a_kind:
            return of_a_kind
        if page and subject.window.until and page.first > subject.window.until:
            return Ignored.OUTSIDE_WINDOW, f"the page is of {page.first}"
        if voice.is_column(address, document.title or ""):
            return Ignored.OPINION, "the page is a column or a blog"
        language = language_of_document(document, self._policy.most_chars)
        if language and known.languages and language not in known.languages:
            return Ignored.NOT_READ, f"it is in another language: {language}"
        copied = known.original.copied_by(document, self._policy.most_chars)
        return (Ignored.COPY, copied) if copied else None

    def _best(
        self,
        known: _Known,
        compared: Sequence[Picked],
        fits: Sequence[Sequence[SectionFit]],
    ) -> tuple[list[_Scored], list[Refused]]:
        """Return the best candidates in the order of the document, and the others."""
        least = self._policy.least_for(len(known.subject.statements))
        of_fiction = known.picker.of_fiction
        scored: list[_Scored] = []
        refused: list[Refused] = []
        for one, ranked in zip(compared, fits, strict=True):
            if not ranked:
                refused.append(Refused(one.text, Ignored.NO_SECTION))
                continue
            score = _score(one, ranked)
            if score < least:
                refused.append(Refused(one.text, Ignored.NOT_ABOUT_SUBJECT, _STRANGE))
                continue
            section = ranked[0].path if one.section is None else one.section
            if fiction.is_story(section, of_fiction=of_fiction):
                refused.append(Refused(one.text, Ignored.NO_SECTION, _RETOLD))
                continue
            scored.append(_Scored(one, section, score))
        scored.sort(key=lambda each: -each.score)
        most = self._policy.most_candidates
        refused += (
            Refused(each.picked.text, Ignored.TRIVIAL, _BETTER)
            for each in scored[most:]
        )
        return sorted(scored[:most], key=lambda each: each.picked.span.start), refused


def _is_review(title: str) -> bool:
    return voice.is_review(title) or sites.is_talk(title)


def _known_words(subject: Subject) -> frozenset[str]:
    text = " ".join((*subject.names, *(one.text for one in subject.statements)))
    return frozenset(_WORD.findall(text.lower()))


def _score(one: Picked, ranked: Sequence[SectionFit]) -> float:
    """Return how well a sentence fits subject and section, 0 to 1.

    Of 417 sentences of WikiGenBench (dev, even ids) the 56 that the whole article bears
    out are told best by their nearest statement (area under the curve 0.74; by what
    they name 0.62).
    """
    nearest = max(fit.likeness for fit in ranked)
    score = _NAMES * one.cheap + _NEAREST * nearest + _SECTION * ranked[0].score
    score -= one.cost
    return max(0.0, min(1.0, score))


def _candidate(
    taken: _Scored, reading: SourceReading, document: SourceText, search: str
) -> CandidateUpdate:
    one = taken.picked
    return CandidateUpdate(
        text=one.text,
        evidence=Evidence(
            passage=one.passage(reading, document),
            quote=one.span.of(document.text),
            span=one.span,
            matched=(),
            score=taken.score,
        ),
        reading=reading,
        section=taken.section,
        dated=one.timed.day,
        basis=one.timed.basis,
        search=search,
        score=taken.score,
    )


def _nothing(why: Ignored, detail: str, address: str | None) -> Turn[Extracted]:
    return Turn(Extracted((), (PassedOver("", why, detail, address),)))


def _told(refused: Sequence[Refused], most: int) -> tuple[PassedOver, ...]:
    """Return what was passed over one by one, and of the rest how many for what."""
    return (*_one_by_one(refused[:most]), *_counted(refused[most:]))


def _one_by_one(refused: Sequence[Refused]) -> Iterator[PassedOver]:
    for one in refused:
        yield PassedOver(one.text[:_LONGEST_TOLD], one.why, one.detail)


def _counted(refused: Sequence[Refused]) -> Iterator[PassedOver]:
    for why, count in Counter(one.why for one in refused).most_common():
        yield PassedOver("", why, f"{count} more sentences: {why.value}")
