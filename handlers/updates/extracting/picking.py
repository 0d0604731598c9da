"""Picks the sentences of one document that may be facts for the article.

The checks, the cheap ones first: form, subject, voice, date. A sentence that points
back ("He", "The deal") is quoted with the one before it. Pure.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from handlers.model import (
    Ignored,
    Passage,
    SourceReading,
    SourceText,
    Span,
    Subject,
)
from handlers.updates.extracting import fiction, form, voice
from handlers.updates.extracting.about import About, Fit, Focus
from handlers.updates.extracting.dating import Days, Timed, when
from handlers.updates.extracting.labelled import labelled
from handlers.updates.extracting.languages import language_of_text
from handlers.updates.extracting.prose import Sentence, sentences

_LEAST_OF_NAME = 0.7  # of the title's words, in a page that is about something else
_LATEST = 0.65  # of a sentence of such a page: what is named later is named in passing
_LEAST_SHARED = 0.5
_FIGURE = re.compile(r"\d")
_LONGEST_PAIR = 450  # characters of two sentences
_POINTS_BACK = "it points back to what is not quoted"
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
    cost: float = 0.0  # to be taken from its score, for how it is said
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

    picked: tuple[Picked, ...]
    refused: tuple[Refused, ...]


@dataclass(frozen=True, slots=True)
class Prose:
    """A document's well-formed sentences; `before` is the one that precedes each."""

    found: tuple[Sentence, ...]
    before: tuple[Sentence | None, ...]

    @property
    def texts(self) -> list[str]:
        """Return the sentences' texts."""
        return [one.text for one in self.found]


@dataclass(frozen=True, slots=True)
class On:
    """A document: what it has to do with the subject, and its day."""

    focus: Focus
    page: Days | None
    host: str
    is_review: bool = False


@dataclass(frozen=True, slots=True)
class Picker:
    """What is known of an article when its documents are looked at."""

    subject: Subject
    about: About
    known_words: frozenset[str]  # of the article, in lower case
    languages: frozenset[str]  # of the article; none: any
    most_chars: int
    of_fiction: bool = False  # it is on a film, a novel, a game

    @property
    def is_english(self) -> bool:
        """Tell whether English words can be looked for."""
        return "en" in self.languages or not self.languages

    def prose(self, document: SourceText) -> Prose:
        """Return the sentences of a document that read like prose."""
        found: list[Sentence] = []
        before: list[Sentence | None] = []
        last: Sentence | None = None
        seen: set[str] = set()
        text = document.text[: self.most_chars]
        # A name such as "SoftBank" comes again; two words glued by mistake seldom do.
        names = {one for one, times in Counter(form.joints(text)).items() if times > 1}
        known = self.known_words | names
        for one in sentences(text):
            if form.fault(one.text, known, is_english=self.is_english):
                last = None
                continue
            if one.text not in seen:  # a teaser, or a page that says all twice
                found.append(one)
                # What is quoted with it must stand right before it, word for word.
                joins = last and text[last.span.end : one.span.start].isspace()
                before.append(last if joins else None)
            seen.add(one.text)
            last = one
        return Prose(tuple(found), tuple(before))

    def pick(self, document: SourceText, prose: Prose, on: On) -> Picking:
        """Return the quotes of a document that pass all checks, in its order."""
        picked: dict[int, Picked] = {}  # by where they begin: the longer quote wins
        refused: list[Refused] = []
        for one, before in zip(prose.found, prose.before, strict=True):
            came = self._of(one, before, on)
            if isinstance(came, Picked):
                picked[came.span.start] = came
            elif came is not None:
                refused.append(came)
        found = list(picked.values())
        if on.focus is Focus.CENTRAL:
            found += self._labelled(document, on.page)
        return Picking(tuple(found), tuple(refused))

    def _of(
        self, one: Sentence, before: Sentence | None, on: On
    ) -> Picked | Refused | None:
        """Return the quote, why it is none, or `None` where it is about something else."""
        fit = self.about.fit(one.text)
        quoted = one
        if fit.depends:
            pair = self._with_antecedent(one, before, fit, on.focus)
            if pair is None:
                return Refused(one.text, Ignored.NOT_A_FACT, _POINTS_BACK)
            quoted = pair
        whole = fit if quoted is one else self.about.fit(quoted.text)
        if not _is_about(whole, on.focus) or self._is_foreign(quoted.text):
            return None
        timed = when(quoted.text, on.page, self.subject)
        heard = voice.heard(
            quoted.text, telling=fit.telling, is_stale=not timed.is_ahead
        )
        fault = (
            heard.fault
            or self._small(quoted.text, whole, fit.telling, on)
            or (timed.refused and (timed.refused, ""))
        )
        if fault:
            return Refused(quoted.text, *fault)
        begins = before.span.start if before else quoted.span.start
        around = Span(min(begins, quoted.span.start), quoted.span.end)
        cheap = _worth(whole, on.focus)
        return Picked(quoted.text, quoted.span, around, timed, cheap, heard.cost)

    def _small(
        self, text: str, fit: Fit, telling: int, on: On
    ) -> tuple[Ignored, str] | None:
        if not telling and fit.by_name < _LEAST_OF_NAME:
            return Ignored.TRIVIAL, "neither a name nor a number"
        if on.is_review and not _FIGURE.search(text):
            return Ignored.OPINION, "a reviewer's own words, without a figure"
        if self.about.is_of_site(text, on.host):
            return Ignored.TRIVIAL, "about the site itself"
        if self.about.is_stranger(text):
            return Ignored.NOT_A_FACT, "nobody says who that person is"
        return fiction.fault(text, of_fiction=self.of_fiction)

    def _is_foreign(self, text: str) -> bool:
        """Tell an abstract in another language, in a page that is in the article's."""
        told = language_of_text(text) if self.languages else None
        return told is not None and told not in self.languages

    def _with_antecedent(
        self, one: Sentence, before: Sentence | None, fit: Fit, focus: Focus
    ) -> Sentence | None:
        """Return the sentence with the one before it, where that tells who "he" is.

        Not for a sentence that adds no name and no number: it says little.
        """
        if (
            before
            and fit.telling
            and before.block == one.block
            and not self.about.fit(before.text).depends
            and one.span.end - before.span.start <= _LONGEST_PAIR
        ):
            text = f"{before.text} {one.text}"
            return Sentence(text, Span(before.span.start, one.span.end), one.block)
        # On a page about a person "he" is that person.
        alone = fit.by_pronoun and focus is Focus.CENTRAL and fit.telling
        return one if alone else None

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
                    section=one.statement.section,
                )


def _is_about(fit: Fit, focus: Focus) -> bool:
    if fit.is_another:
        return False
    if focus is not Focus.CENTRAL:
        return fit.by_name >= _LEAST_OF_NAME and fit.place <= _LATEST
    if fit.by_name or fit.definite:
        return True
    return fit.shared >= _LEAST_SHARED and not fit.is_strange


def _worth(fit: Fit, focus: Focus) -> float:
    """Return how good a sentence looks by what it names."""
    worth = (
        0.2 * focus
        + 0.3 * fit.by_name
        + 0.2 * fit.shared
        + 0.1 * min(1.0, fit.telling / 4)
    )
    return worth - (0.05 if fit.depends else 0.0)
