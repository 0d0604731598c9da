"""Picks the sentences of one document that may be facts for the article.

The checks, the cheap ones first: form, subject, voice, date. A sentence that points
back ("He", "The deal") is quoted with the one before it. Pure.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from handlers.model import (
    Ignored,
    Passage,
    SourceReading,
    SourceText,
    Span,
    Subject,
)
from handlers.updates.extracting import form, voice
from handlers.updates.extracting.about import About, Fit, Focus
from handlers.updates.extracting.dating import Days, Timed, when
from handlers.updates.extracting.labelled import labelled
from handlers.updates.extracting.prose import Sentence, sentences

_LEAST_OF_NAME = 0.7  # of the title's words, in a page that is about something else
_LEAST_SHARED = 0.3
_LABELLED = 0.7  # the worth of a labelled value


@dataclass(frozen=True, slots=True)
class Picked:
    """A quote of a document that may be a fact for the article.

    `text` is the quote with single blanks, `around` the quote with the sentences
    before it. `cheap` is how good it looks before the encoder has seen it, 0 to 1.
    `section` is given where its place is known.
    """

    text: str
    span: Span
    around: Span
    timed: Timed
    cheap: float
    section: tuple[str, ...] | None = None

    def passage(self, reading: SourceReading, document: SourceText) -> Passage:
        """Return what is around the quote as a passage of its source."""
        starts = document.page_starts
        page = bisect_right(starts, self.around.start) or 1 if starts else None
        text = self.around.of(document.text)
        return Passage(reading.source.key, text, self.around, page)


@dataclass(frozen=True, slots=True)
class Refused:
    """A sentence on the subject that was left out, and why."""

    text: str
    why: Ignored
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Picking:
    """What came of a document."""

    focus: Focus
    picked: tuple[Picked, ...]
    refused: tuple[Refused, ...]


@dataclass(frozen=True, slots=True)
class _Prose:
    """A document's well-formed sentences; `before` is the one that precedes each."""

    found: Sequence[Sentence]
    before: Sequence[Sentence | None]


@dataclass(frozen=True, slots=True)
class Picker:
    """What is known when a document is looked at."""

    subject: Subject
    about: About
    known_words: frozenset[str]  # of the article, in lower case
    is_english: bool
    most_chars: int

    def pick(self, document: SourceText, page: Days | None) -> Picking:
        """Return the quotes of a document that pass all checks, in its order."""
        prose = self._prose(document.text[: self.most_chars])
        focus = self.about.focus(document, [one.text for one in prose.found])
        picked: list[Picked] = []
        refused: list[Refused] = []
        seen: set[str] = set()
        for one, before in zip(prose.found, prose.before, strict=True):
            if one.text in seen:
                continue  # a teaser, or a page that says all twice
            seen.add(one.text)
            came = self._of(one, before, focus, page)
            if isinstance(came, Picked):
                picked.append(came)
            elif came is not None:
                refused.append(came)
        if focus is Focus.CENTRAL:
            picked += self._labelled(document, page)
        return Picking(focus, tuple(picked), tuple(refused))

    def _prose(self, text: str) -> _Prose:
        found: list[Sentence] = []
        before: list[Sentence | None] = []
        last: Sentence | None = None
        for one in sentences(text):
            if form.fault(one.text, self.known_words, is_english=self.is_english):
                last = None
                continue
            found.append(one)
            before.append(last)
            last = one
        return _Prose(found, before)

    def _of(
        self, one: Sentence, before: Sentence | None, focus: Focus, page: Days | None
    ) -> Picked | Refused | None:
        """Return the quote, why it is none, or `None` where it is about something else."""
        fit = self.about.fit(one.text)
        quoted = one
        if fit.depends:
            whole = self._with_antecedent(one, before, fit, focus)
            if whole is None:
                return Refused(one.text, Ignored.NOT_A_FACT, "it points back")
            quoted = whole
            fit = self.about.fit(quoted.text) if quoted is not one else fit
        if not self._is_about(fit, focus):
            return None
        timed = when(quoted.text, page, self.subject)
        heard = voice.fault(quoted.text, is_stale=not timed.is_ahead)
        if heard:
            return Refused(quoted.text, *heard)
        if timed.refused:
            return Refused(quoted.text, timed.refused)
        start = before.span.start if before and before.block == one.block else None
        around = Span(quoted.span.start if start is None else start, one.span.end)
        cheap = _worth(fit, focus)
        return Picked(quoted.text, quoted.span, around, timed, cheap)

    def _with_antecedent(
        self, one: Sentence, before: Sentence | None, fit: Fit, focus: Focus
    ) -> Sentence | None:
        """Return the sentence with the one before it, where that tells who "he" is."""
        if before and not self.about.fit(before.text).depends:
            text = f"{before.text} {one.text}"
            return Sentence(text, Span(before.span.start, one.span.end), one.block)
        # On a page about a person, "he" is that person.
        return one if fit.by_pronoun and focus is Focus.CENTRAL else None

    def _is_about(self, fit: Fit, focus: Focus) -> bool:
        if fit.by_name >= _LEAST_OF_NAME:
            return True
        if focus is not Focus.CENTRAL:
            return False
        return (
            fit.by_name > 0
            or fit.shared >= _LEAST_SHARED
            or fit.definite
            or fit.by_pronoun
        )

    def _labelled(self, document: SourceText, page: Days | None) -> Iterator[Picked]:
        text = document.text[: self.most_chars]
        for one in labelled(text, self.subject.statements):
            quote = " ".join(one.span.of(text).split())
            timed = when(quote, page, self.subject)
            if not timed.refused and not timed.is_ahead:
                yield Picked(
                    quote,
                    one.span,
                    one.span,
                    timed,
                    _LABELLED,
                    one.statement.section,
                )


def _worth(fit: Fit, focus: Focus) -> float:
    """Return how good a sentence looks by what it names."""
    worth = (
        0.2 * focus
        + 0.3 * fit.by_name
        + 0.2 * fit.shared
        + 0.1 * min(1.0, fit.telling / 4)
    )
    return worth - (0.05 if fit.depends else 0.0)
