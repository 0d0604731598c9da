"""What a model says a fact means for the article, held against the article. Pure.

What it points at is there: the section, the statement, the update. A fact that the
verification model surely finds in the article is known, whatever the ruling. That a
statement no longer holds takes the language model's word twice: once with the page, and
once without it, so that nobody who wrote there can have talked it into that. Else the
fact is new, behind the statement.

The verification model has no say in this. Of 10 statements that call something pending
("has not yet reported") it finds 3 refuted by the fact that ends it, and of 8 that stay
true 3; these are pairs of our own making.
"""

from collections.abc import (
    Awaitable,
    Callable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from dataclasses import dataclass, replace
from typing import Annotated

from handlers.citations.quotes import find_quote
from handlers.documents.dates import known_of
from handlers.model import (
    Add,
    CandidateUpdate,
    Corroborate,
    Ignore,
    Ignored,
    ModelUse,
    Replace,
    Ruling,
    Setback,
    Statement,
    Subject,
    Update,
)
from handlers.ports import Excerpt, TextEncoder, Verifier
from handlers.updates.by_model.article import (
    Sections,
    sections_of,
    statement_of,
    title_of,
)
from handlers.updates.by_model.asking import Few, Form, Heard, line
from handlers.updates.by_model.wording import carried, number_beyond_quote
from handlers.updates.entailment import OUTDATED_FROM, entails, outdated
from handlers.updates.roles import Ruled

STILL_HOLDS = """
You are shown pairs of sentences. The first of a pair stands in an encyclopaedia article, \
the second is a newer fact. Decide for each pair whether the sentence of the article can \
stay as it is once the fact is known.

- "holds": it can stay. The fact adds a detail, or tells of something else or later, while \
what the sentence says of its day stays true.
- "outdated": a reader would be misled by it. The fact gives another value of the same \
thing, or what the sentence calls planned, expected, pending, unknown or under way has \
happened, ended or become known.

Answer with the id of each pair and its verdict.
"""

_SURELY_SAID = 0.8
_MOST_NEAR = 4  # statements that may say a fact already
_SAME = 0.5


@dataclass(frozen=True, slots=True)
class Case:
    """A fact that was found in its document, and what the model says of it."""

    candidate: CandidateUpdate
    ruling: str
    section: str
    target: str
    why: str


class PairAnswer(Form):
    """What the model says of one pair."""

    pair: str
    verdict: str


class PairsAnswer(Form):
    """What it says of all."""

    pairs: Annotated[list[PairAnswer], Few]


Hear = Callable[[str, Iterable[Excerpt], type[PairsAnswer]], Awaitable[Heard[PairsAnswer]]]  # fmt: skip


class Rulings:
    """Makes rulings of a model's words."""

    def __init__(self, ask: Hear, verifier: Verifier, encoder: TextEncoder) -> None:
        """Ask the model again by `ask`; `encoder` finds what says a fact already."""
        self._ask = ask
        self._verifier = verifier
        self._encoder = encoder

    async def of(
        self, subject: Subject, cases: Sequence[Case], found: Sequence[Update]
    ) -> tuple[list[Ruled], ModelUse, Setback | None]:
        """Return the ruling on each case, and what asking again took."""
        first = [await self._first(subject, one, found) for one in cases]
        pairs = {
            f"p{number}": at
            for number, at in enumerate(
                (at for at, one in enumerate(first) if _is_replacing(one)), 1
            )
        }
        if not pairs:
            return _ruled(cases, first), ModelUse(), None
        shown_pairs = {key: (first[at], cases[at]) for key, at in pairs.items()}
        heard = await self._ask(STILL_HOLDS, _pairs(subject, shown_pairs), PairsAnswer)
        confirmed = _outdated(heard)
        for key, at in pairs.items():
            one = first[at]
            if key not in confirmed and isinstance(one, Replace) and one.statement:
                behind = replace(cases[at], section="")  # where the statement is
                first[at] = await self._added(subject, behind, one.statement)
        return _ruled(cases, first), heard.use, heard.setback

    async def _first(
        self, subject: Subject, case: Case, found: Sequence[Update]
    ) -> Ruling:
        """Return the ruling before the model is asked again."""
        decision = case.ruling.strip().casefold()
        update = _update_of(case.target, found)
        statement = statement_of(case.target, subject)
        if decision == "known":
            where = f"the article: “{statement.text[:200]}”" if statement else ""
            return Ignore(Ignored.ALREADY_SAID, where, said=case.why)
        if update is not None and decision in {"same", "replaces"}:
            return await self._beside(
                subject, case, update, is_newer=decision != "same"
            )
        if decision == "replaces" and statement is not None:
            near = await self._near(subject, case.candidate)
            return await self._replaced(subject, case, statement, near)
        if decision in {"new", "replaces"}:
            return await self._added(subject, case, statement)
        detail = Setback.NAMED_UNKNOWN.value
        return Ignore(Ignored.NOT_A_FACT, f"the language model: {detail}")

    async def _beside(
        self, subject: Subject, case: Case, update: Update, *, is_newer: bool
    ) -> Ruling:
        """Return what a fact means for an update that was found before."""
        candidate, title = case.candidate, subject.page.id.title
        mine, its = candidate.dated, update.dated
        if is_newer and mine and its and mine > its:
            likely = await outdated(self._verifier, title, update.text, candidate.text)
            if likely >= OUTDATED_FROM:
                return Replace(likely, update=update.number)
        keys = {one.reading.source.key for one in update.sources}
        if candidate.reading.source.key in keys:
            told = f"update {update.number}, of the same page"
            return Ignore(Ignored.DUPLICATE, told, said=case.why)
        quote = carried(candidate)
        likely = await entails(self._verifier, title, update.text, [quote])
        if likely < _SAME or number_beyond_quote(update.text, quote):
            told = f"near to update {update.number}, but not all of it"
            return Ignore(Ignored.DUPLICATE, told, said=case.why)
        return Corroborate(update.number, probability=likely)

    async def _replaced(
        self,
        subject: Subject,
        case: Case,
        statement: Statement,
        near: Sequence[Statement],
    ) -> Ruling:
        """Return that a statement is outdated, unless it says the fact, or of a later day."""
        candidate = case.candidate
        known = known_of(statement, subject.page, subject.today)
        if known and candidate.dated and candidate.dated < known:
            told = f"the article: “{statement.text[:200]}”"
            return Ignore(Ignored.OLDER_THAN_ARTICLE, told, said=case.why)
        said = await self._said(subject, candidate, near)
        if said >= _SURELY_SAID:
            told = f"the article: “{statement.text[:200]}”"
            return Ignore(Ignored.ALREADY_SAID, told)
        return Replace(1 - said, statement=statement)

    async def _added(
        self, subject: Subject, case: Case, behind: Statement | None
    ) -> Ruling:
        """Return that the article lacks a fact, unless it surely has it."""
        path = sections_of(subject).path(case.section)
        if path is None and behind is not None:
            path = behind.section
        if path is None or not _is_open(sections_of(subject), path):
            return Ignore(Ignored.NO_SECTION, "it was to go where no section is")
        near = await self._near(subject, case.candidate)
        said = await self._said(subject, case.candidate, near)
        if said >= _SURELY_SAID:
            told = f"the article says so ({said:.0%} sure): “{near[0].text[:200]}”"
            return Ignore(Ignored.ALREADY_SAID, told)
        if behind is None or behind.section != path:
            own = [one for one in subject.statements if one.section == path]
            behind = own[-1] if own else None
        return Add(path, behind, 1 - said)

    async def _near(
        self, subject: Subject, candidate: CandidateUpdate
    ) -> list[Statement]:
        said = [one.said for one in subject.statements]
        if not said:
            return []
        [likeness] = await self._encoder.likeness([candidate.text], said)
        order = sorted(range(len(said)), key=lambda at: -likeness[at])[:_MOST_NEAR]
        return [subject.statements[at] for at in order]

    async def _said(
        self,
        subject: Subject,
        candidate: CandidateUpdate,
        statements: Sequence[Statement],
    ) -> float:
        """Return how surely some statements say a fact already."""
        texts = [one.said for one in statements]
        if any(
            find_quote(one, candidate.text) or find_quote(candidate.text, one)
            for one in texts
        ):
            return 1.0
        beyond = number_beyond_quote(candidate.text, "\n".join(texts))
        if not texts or beyond:
            return 0.0
        title = subject.page.id.title
        return await entails(self._verifier, title, candidate.text, texts)


def _ruled(cases: Sequence[Case], rulings: Sequence[Ruling]) -> list[Ruled]:
    return [
        Ruled(
            replace(case.candidate, section=ruling.section)
            if isinstance(ruling, Add)
            else case.candidate,
            ruling,
        )
        for case, ruling in zip(cases, rulings, strict=True)
    ]


def _is_open(sections: Sections, path: tuple[str, ...]) -> bool:
    return any(one.path == path for one in sections.by_id.values())


def _update_of(given: str, found: Sequence[Update]) -> Update | None:
    key = given.strip().casefold()
    return next((one for one in found if key == f"u{one.number}"), None)


def _is_replacing(ruling: Ruling) -> bool:
    return isinstance(ruling, Replace) and ruling.statement is not None


def _pairs(
    subject: Subject, pairs: Mapping[str, tuple[Ruling, Case]]
) -> Iterator[Excerpt]:
    yield title_of(subject.page)
    for key, (ruling, case) in pairs.items():
        if isinstance(ruling, Replace) and ruling.statement:
            old, fact = line(ruling.statement.said), line(case.candidate.text)
            dated = f" ({case.candidate.dated})" if case.candidate.dated else ""
            yield Excerpt(f"pair {key}", f"Article: {old}\nFact{dated}: {fact}")


def _outdated(heard: Heard[PairsAnswer]) -> frozenset[str]:
    """Return the ids of the pairs that the model calls outdated."""
    answers = heard.value.pairs if heard.value else []
    return frozenset(
        one.pair.strip().casefold()
        for one in answers
        if one.verdict.strip().casefold() == "outdated"
    )
