"""Whether an edit that a language model made may be shown: else facts only.

What the wikitext loses is refused by `guarding`. Here: nothing goes that was not meant,
every name and number is the source's, no long run of words is, and the verification
model finds the new sentence borne out rather than denied, and the fact in the paragraph.
Pure; it awaits only the verifier.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from handlers.model import Statement, Subject, Update
from handlers.ports import Verifier
from handlers.updates.editing.operations import Worked, plain
from handlers.updates.editing.places import Paragraph, sentence_of
from handlers.updates.editing.wording import Limits, copied, unknown
from handlers.updates.entailing import entails, judged

_LONGEST_SOURCE = 40_000  # characters that are compared with new words
_KEPT_WORDS = 3  # a shorter run of an old sentence says nothing by itself


@dataclass(frozen=True, slots=True)
class Bar:
    """How sure the verifier has to be, from 0 to 1, and the limits of wording."""

    borne_out: float = 0.3
    carried: float = 0.15
    most_words: int = 60
    limits: Limits = field(
        default_factory=lambda: Limits(longest_run=10, most_shared=1.0)
    )


@dataclass(frozen=True, slots=True)
class Draft:
    """An edit of a paragraph."""

    paragraph: Paragraph
    worked: Worked

    @property
    def text(self) -> str:
        """Return the words of the paragraph once the edit is made."""
        work = self.worked
        new = f"{work.before} {work.after}" if work.is_new_sentence else work.after
        return " ".join(
            new if one == work.sentence else self.paragraph.text(one)
            for one in self.paragraph.sentences
        )


def of_words(subject: Subject, update: Update, draft: Draft, bar: Bar) -> Iterator[str]:
    """Yield what is wrong that can be told by looking at the words."""
    work = draft.worked
    gone = [one.strip() for one in work.gone if any(map(str.isalnum, one))]
    if gone and update.replaces is None:
        yield f"it takes away “{gone[0][:80]}”, which is not outdated"
    if not _is_meant(draft, update.replaces):
        yield "it changes another sentence than the outdated one"
    texts = [_source_text(one) for one in _documents(update)]
    quotes = list(_quotes(update))
    said = draft.paragraph.prose.text
    known = [
        said,
        *_checked(update),
        *quotes,
        *texts,
        subject.page.id.title,
        *subject.names,
        *_days(update),
    ]
    strange = unknown(map(plain, work.came), map(plain, known))
    if strange:
        yield f"its sources do not say “{'”, “'.join(strange[:5])}”"
    count = sum(len(run.split()) for run in work.came)
    if count > bar.most_words:
        yield f"it adds {count} words"
    yield from copied(work.came, [*texts, *quotes], bar.limits)


async def of_meaning(
    verifier: Verifier, subject: Subject, update: Update, draft: Draft, bar: Bar
) -> str | None:
    """Return what the verification model does not find, `None` where it finds all."""
    title = subject.page.id.title
    quotes = list(_quotes(update))
    said = " ".join(
        draft.paragraph.text(one)
        for one in draft.paragraph.sentences
        if one != draft.worked.sentence
    )
    likely = await judged(
        verifier,
        title,
        draft.worked.after,
        [*_checked(update), *quotes, *_kept(draft)],
        section=update.section,
        context=said,
    )
    if likely.supported < bar.borne_out or likely.supported < likely.contradicted:
        return f"its source does not bear “{draft.worked.after[:120]}” out"
    carried = await entails(verifier, title, update.text, [draft.text])
    if carried < bar.carried:
        return "it does not say the fact"
    return None


def _is_meant(draft: Draft, outdated: Statement | None) -> bool:
    if outdated is None:
        return True
    return draft.worked.sentence == sentence_of(draft.paragraph, outdated)


def _checked(update: Update) -> Iterator[str]:
    """Yield a model's words for the fact, which were held against the quote."""
    if update.is_worded:
        yield update.text


def _quotes(update: Update) -> Iterator[str]:
    """Yield each quote with what stands around it in its source."""
    for one in update.sources:
        yield one.evidence.quote
        if one.evidence.passage.text.strip() != one.evidence.quote:
            yield one.evidence.passage.text


def _documents(update: Update) -> Iterator[str]:
    for one in update.sources:
        if one.reading.document is not None:
            yield one.reading.document.text


def _source_text(text: str) -> str:
    return text[:_LONGEST_SOURCE]


def _days(update: Update) -> Iterator[str]:
    """The day of a source, in words: "on Tuesday" may become the day it was."""
    for one in update.sources:
        if one.dated:
            yield f"{one.dated.day} {one.dated:%B} {one.dated.year} {one.dated}"


def _kept(draft: Draft) -> Iterator[str]:
    """Yield what the old sentence says and still does, for its own sources say so."""
    if draft.worked.is_new_sentence:
        return
    kept = draft.worked.before
    for gone in draft.worked.gone:
        kept = kept.replace(gone.strip(), "\n", 1)
    for part in kept.split("\n"):
        if len(part.split()) >= _KEPT_WORDS:
            yield part.strip(" ,;:.")
