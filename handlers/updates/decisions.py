"""Checks what a model says about a fact against its source and the article. Pure.

*Against the source* (`fault_of`): numbers are in the quote or near it, or are the sum or
difference of two in it; dates and names are anywhere in the document, because the model
resolves who "he" is and when "Tuesday" was; the verification model judges the meaning.

*Against the article* (`FactJudge`): the section, statement or update that the model
points to exists. A fact that the verification model certainly finds in the article is
known, whatever the language model decides. The language model must say twice that a
statement no longer holds: once with the page and once without it, so that text on the
page cannot have talked it into that. Otherwise the fact is new and belongs after the
statement. The verification model does not decide this: of 10 statements that something
is pending ("has not yet reported") it finds only 3 refuted by the later fact, and of 8
that stay true also 3 (on pairs that we made up).
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import combinations
from typing import Annotated

from handlers.documents.dates import known_of
from handlers.model import (
    Add,
    CandidateUpdate,
    Corroborate,
    FactDecision,
    Ignore,
    Ignored,
    ModelFailure,
    ModelUse,
    Replace,
    Span,
    Statement,
    Subject,
    Update,
)
from handlers.ports import Excerpt, LanguageModel, TextEncoder, Verifier
from handlers.text.analysis import Name, TextAnalysis, analyse
from handlers.text.dates import Date, compare_date, word_indices
from handlers.text.numbers import Agreement, Quantity, agree
from handlers.updates.entailment import article_says, judged
from handlers.updates.questions import (
    Few,
    Form,
    ask_model,
    line,
    sections_of,
    statement_of,
    title_excerpt,
)
from handlers.updates.roles import DecidedFact, RoleAnswer

_LONGEST = 400  # characters of a fact
_SHORTEST = 12
# Markup, addresses, and signs that no sentence of an article has.
_MARKUP = re.compile(r"\[\[|\]\]|https?:|www\.|^[#*:;]|[{}<>^\\|=`]")
_LEAST_SUPPORTED = 0.3
_CARRIED = 300  # characters before a quote that may say who "he" is
_HELD = 0.6  # how well a word of a name must match: the same, or a related form
_MOST_CHARS = 40_000  # of a document in which a name or a date is searched for
_HEAD = 3_000  # characters of a page in which its own date stands
_WEEK = 7  # days before the page's date that "on Tuesday" may mean
MOST_SHARED = 12  # words in a row that a model may copy from its source
_WORD = re.compile(r"\w+")
_GLUED = re.compile(
    r"(?<=\d)(?=[A-Z][a-z])|(?<=[a-z]{2})(?=[A-Z][a-z]{2,8} \d|\d{1,2} [A-Z][a-z]{2})"
)
_RANK, _YEARS = "ordinal", "year"
_MOST_SUMMED = 12  # numbers of a quote of which any two may be added


async def fault_of(
    fact: str, candidate: CandidateUpdate, subject: Subject, verifier: Verifier
) -> str | None:
    """Return what is wrong with the model's wording; `None` if the quote supports it.

    The names of the subject need no source.
    """
    if not _SHORTEST <= len(fact) <= _LONGEST:
        return "it is too short or too long for one fact"
    if _MARKUP.search(fact):
        return "it contains markup or a URL"
    document, quote = candidate.fetch.document, quote_in_context(candidate)
    title = (document.title if document else "") or ""
    article = "\n".join(one.text for one in subject.statements)[:_MOST_CHARS]
    named = "\n".join((*subject.names, title))
    text = document.text[:_MOST_CHARS] if document else ""
    near = f"{named}\n{legible(quote)}"
    above = dates_above(document.text, candidate.evidence.span) if document else ""
    fault = unsupported_detail(
        fact,
        candidate.evidence.quote,
        near,
        f"{named}\n{legible(text)}",
        dated_by=f"{near}\n{above}",
        day=candidate.dated,
        article=article,
    )
    if fault is not None:
        return fault
    days = days_left_out(fact, candidate.evidence.quote)
    premises = [f"{days}: {quote}" if days else quote, *([title] if title else [])]
    likely = await judged(verifier, subject.page.id.title, fact, premises)
    if likely.supported + likely.partially_supported < likely.contradicted:
        return "the quote says otherwise"
    if likely.supported < _LEAST_SUPPORTED:
        return f"only {likely.supported:.0%} sure that the quote says so"
    return None


def unsupported_detail(
    fact: str,
    quote: str,
    near: str,
    around: str,
    *,
    dated_by: str,
    day: date | None = None,
    article: str = "",
    has_names: bool = True,
) -> str | None:
    """Return which day, number or name of a model's fact is not in its source.

    On 3,909 rows of VitaminC (dev), with the evidence as the document, numbers alone
    refuse 142 of 1,961 supported claims and 192 of 1,948 others that the rest accepts,
    days 22 and 104, names 650 and 676, half of them for words of the missing title.

    Args:
        fact: in the model's words.
        quote: the quote on which it is based.
        near: the quote and the text around it, where numbers must be.
        around: the whole document; names may be anywhere in it.
        dated_by: the text where dates must be, such as `near` with `dates_above`.
        day: the document's day, to resolve "on Tuesday".
        article: the article, whose ordinals and names a fact may take up ("the group").
        has_names: whether capitals distinguish names from other nouns.
    """
    claimed, quoted = analyse(fact), analyse(legible(quote))
    beside, whole = analyse(near), _read(around)
    dates = _read(dated_by).dates
    if not all(_is_dated(one, quoted.dates, dates, day) for one in claimed.dates):
        return "it gives another date than the document"
    if not all(
        _is_counted(one, beside.quantities)
        or _follows(one, quoted)
        or (one.unit == _RANK and _is_counted(one, _read(article).quantities))
        for one in claimed.quantities
    ):
        return "it gives a number that is not in the quote"
    if has_names and not all(
        _is_named(one, claimed, whole)
        or (article and _is_named(one, claimed, _read(article)))
        for one in claimed.names
    ):
        return "it names someone or something that is not in the document"
    return None


def longest_shared(text: str, source: str) -> int:
    """Return the length of the longest run of words that both have."""
    mine, theirs = _WORD.findall(text.casefold()), _WORD.findall(source.casefold())
    found = SequenceMatcher(None, mine, theirs, autojunk=False).find_longest_match()
    return found.size


def legible(text: str) -> str:
    """Return a scraped text in which names, months and numbers are recognised.

    Each word of an all-lower-case text is capitalised, and a number is separated from
    the word that a lost line break joined it to: "October 18 2002Members vote".
    """
    return text.title() if text == text.lower() else _GLUED.sub(" ", text)


def dates_above(text: str, span: Span) -> str:
    """Return the dates under which a quote at `span` stands, as the page writes them.

    They are the last above it, the last that is a full day, and the first full day of
    the page, which mostly is its own. Of 34 facts of a model whose day had been
    exchanged for another one of its page (9 events of WikiGenBench, held out), 5 pass
    with these and all with the dates of the whole page; of the 12 facts as the model
    wrote them 10 and 11.
    """
    above = _read(legible(text[max(0, span.start - _MOST_CHARS) : span.start]))
    head = _read(legible(text[: min(_HEAD, span.start)]))
    return "\n".join(
        page.text[page.words[one.first_word].start : page.words[one.last_word].end]
        for page, dates in (
            (above, above.dates[-1:]),
            (above, _full(above)[-1:]),
            (head, _full(head)[:1]),
        )
        for one in dates
    )


def _full(text: TextAnalysis) -> list[Date]:
    return [one for one in text.dates if one.day and one.month]


def days_left_out(fact: str, quote: str) -> str:
    """Return the days that a fact gives and its quote leaves out; "" if none.

    "On Tuesday" is a day that `unsupported_detail` found for the quote; the verification
    model is not shown where, and would call the day made up. A quote that names a day
    tells of no other.
    """
    claimed, quoted = analyse(fact), analyse(legible(quote))
    if any(one.day for one in quoted.dates):
        return ""
    return ", ".join(
        fact[claimed.words[one.first_word].start : claimed.words[one.last_word].end]
        for one in claimed.dates
        if compare_date(one, quoted.dates) is Agreement.ABSENT
    )


def _counts_otherwise(fact: str, quote: str) -> bool:
    """Return whether a text has different or more exact quantities than its quote."""
    known = _read(quote).quantities
    return not all(_is_counted(one, known) for one in analyse(fact).quantities)


def _is_counted(one: Quantity, stated: Sequence[Quantity]) -> bool:
    return any(
        agree(one, other) and one.precision >= other.precision for other in stated
    )


def _follows(one: Quantity, quoted: TextAnalysis) -> bool:
    """Return whether a number is the sum or the difference of two others."""
    stated = [each.value for each in quoted.quantities[:_MOST_SUMMED]]
    years = [each.year for each in quoted.dates[:_MOST_SUMMED] if each.year]
    return any(
        one.value in (first + second, abs(first - second))
        for first, second in combinations(stated, 2)
    ) or (
        one.unit == _YEARS
        and any(
            one.value == abs(first - second) for first, second in combinations(years, 2)
        )
    )


def _is_dated(
    one: Date, quoted: Sequence[Date], near: Sequence[Date], day: date | None
) -> bool:
    """Return whether a document of `day` gives a date, in whole or by its parts.

    A quote that names a day tells of that day, whatever others stand `near` it. "On
    14 May", on a page from 2023, is 14 May 2023; "on Tuesday" is a day of the week
    before the page's.
    """
    is_dated = any(each.day and each.month for each in quoted)
    known = (*quoted, *near)
    given = quoted if one.day and is_dated else known
    if compare_date(one, given) is Agreement.STATED:
        return True
    years = {each.year for each in known} | ({day.year} if day else set())
    named = {(each.month, each.day) for each in given}
    named |= {(each.month, None) for each in given}  # "in May" of 14 May
    if one.year in years and (one.month is None or (one.month, one.day) in named):
        return True
    if day is None or is_dated:
        return False
    week = (day - timedelta(days=back) for back in range(_WEEK + 1))
    return any(
        one.year in (None, each.year)
        and one.month in (None, each.month)
        and one.day in (None, each.day)
        for each in week
    )


def _is_named(name: Name, fact: TextAnalysis, around: TextAnalysis) -> bool:
    """Return whether a name in `fact` is in `around`, in this or a related form.

    A date before the name is not part of it.
    """
    if name.initials in around.stems or any(
        one.text == name.initials.upper()
        for one in around.words  # "US" is no "us"
    ):
        return True
    dated = word_indices(fact.dates)
    stems = {
        word.stem
        for at, word in enumerate(fact.words[: name.last_word + 1])
        if at >= name.first_word and at not in dated and word.stem in name.stems
        if len(word.stem) > 1  # "U.S."
    }
    return all(
        around.index.support(stem) >= _HELD
        or any(  # a stop word, "Speak Now", but not "now"
            word.stem == stem and word.is_capitalised for word in around.words
        )
        for stem in stems
    )


@lru_cache(maxsize=16)  # a document is read again for each of its facts
def _read(text: str) -> TextAnalysis:
    return analyse(text)


def quote_in_context(candidate: CandidateUpdate) -> str:
    """Return the quote with the end of the text before it on its page."""
    document = candidate.fetch.document
    span = candidate.evidence.span
    start = max(0, span.start - _CARRIED)
    before = document.text[start : span.start] if document else ""
    return f"{before.partition(' ')[2] if start else before}{candidate.evidence.quote}"


STILL_HOLDS = """
You are shown pairs of sentences. The first of a pair is from an encyclopaedia article, \
the second is a newer fact. Decide for each pair whether the sentence of the article can \
stay as it is once the fact is known.

- "holds": it can stay. The fact adds a detail, or tells of something else or later, while \
what the sentence says of its day stays true.
- "outdated": it would mislead a reader. The fact gives another value of the same thing, or \
what the sentence calls planned, expected, pending, unknown or under way has happened, \
ended or become known.

Answer with the id of each pair and its verdict.
"""

_SURELY_SAID = 0.8
_SAME = 0.5


@dataclass(frozen=True, slots=True)
class ProposedFact:
    """A fact that was found in its document, and what the model says about it."""

    candidate: CandidateUpdate
    decision: str
    section: str
    target: str
    why: str


class PairAnswer(Form):
    """What the model says about one pair."""

    pair: str
    verdict: str


class PairsAnswer(Form):
    """What it says about all pairs."""

    pairs: Annotated[list[PairAnswer], Few]


class FactJudge:
    """Decides what a fact means for the article, from a model's words."""

    def __init__(
        self, model: LanguageModel, verifier: Verifier, encoder: TextEncoder
    ) -> None:
        """Ask `model` again; `encoder` finds what already says a fact."""
        self._model = model
        self._verifier = verifier
        self._encoder = encoder

    async def of(
        self, subject: Subject, cases: Sequence[ProposedFact], found: Sequence[Update]
    ) -> tuple[list[DecidedFact], ModelUse, ModelFailure | None]:
        """Return the decision on each case, and what asking again used."""
        decisions = [await self._first(subject, one, found) for one in cases]
        pairs = [
            (at, one.statement)
            for at, one in enumerate(decisions)
            if isinstance(one, Replace)
        ]
        reply: RoleAnswer[PairsAnswer | None] = RoleAnswer(None)
        if pairs:
            shown = ((old.full_text, cases[at].candidate) for at, old in pairs)
            content = (title_excerpt(subject.page), *_shown(shown))
            reply = await ask_model(self._model, STILL_HOLDS, content, PairsAnswer)
        confirmed = {
            one.pair.strip().casefold()
            for one in (reply.value.pairs if reply.value else ())
            if one.verdict.strip().casefold() == "outdated"
        }
        for number, (at, old) in enumerate(pairs, 1):
            if f"p{number}" not in confirmed:
                after = replace(cases[at], section="")  # use the statement's section
                decisions[at] = await self._added(subject, after, old)
        decided = [
            DecidedFact(case.candidate, decision)
            for case, decision in zip(cases, decisions, strict=True)
        ]
        return decided, reply.use, reply.failure

    async def _first(
        self, subject: Subject, case: ProposedFact, found: Sequence[Update]
    ) -> FactDecision:
        """Return the decision before the model is asked again."""
        decision = case.decision.strip().casefold()
        key = case.target.strip().casefold()
        update = next((one for one in found if key == f"u{one.number}"), None)
        statement = statement_of(case.target, subject)
        if decision == "known":
            where = _where(statement) if statement else ""
            return Ignore(Ignored.ALREADY_SAID, where, said=case.why)
        if update is not None and decision == "same":
            return await self._beside(subject, case, update)
        if decision == "replaces" and statement is not None:
            return await self._replaced(subject, case, statement)
        if decision in {"new", "replaces"}:
            return await self._added(subject, case, statement)
        detail = ModelFailure.NAMED_UNKNOWN.value
        return Ignore(Ignored.NOT_A_FACT, f"the language model: {detail}")

    async def _beside(
        self, subject: Subject, case: ProposedFact, update: Update
    ) -> FactDecision:
        """Return whether a fact is one more source for an update found earlier."""
        candidate, title = case.candidate, subject.page.id.title
        keys = {one.fetch.source.key for one in update.sources}
        if candidate.fetch.source.key in keys:
            why = f"update {update.number}, from the same page"
            return Ignore(Ignored.DUPLICATE, why, said=case.why)
        quote = quote_in_context(candidate)
        says = await judged(self._verifier, title, update.text, [quote])
        says_all = says.supported >= _SAME and not _counts_otherwise(update.text, quote)
        if not (says_all or await self._says_less(subject, candidate, update)):
            why = f"close to update {update.number}, but a different fact"
            return Ignore(Ignored.DUPLICATE, why, said=case.why)
        return Corroborate(update.number)

    async def _says_less(
        self, subject: Subject, candidate: CandidateUpdate, update: Update
    ) -> bool:
        """Return whether an update says all of a fact, and the article does not.

        A source that reports less of the same is one more voice for what both report.
        """
        known = "\n".join(
            (update.text, *(one.evidence.quote for one in update.sources))
        )
        if _counts_otherwise(candidate.text, known):
            return False
        title = subject.page.id.title
        held = await judged(self._verifier, title, candidate.text, [known])
        return (
            held.supported >= _SAME
            and await self._likely_stated(subject, candidate) < _SURELY_SAID
        )

    async def _replaced(
        self, subject: Subject, case: ProposedFact, statement: Statement
    ) -> FactDecision:
        """Return that a statement is outdated, unless it has the fact or is newer."""
        day = case.candidate.dated
        known = known_of(statement, subject.page, subject.today)
        if known and day and day < known:
            return Ignore(Ignored.OLDER_THAN_ARTICLE, _where(statement), said=case.why)
        likely = await self._likely_stated(subject, case.candidate)
        if likely >= _SURELY_SAID:
            return Ignore(Ignored.ALREADY_SAID, _where(statement))
        return Replace(1 - likely, statement=statement)

    async def _added(
        self, subject: Subject, case: ProposedFact, after: Statement | None
    ) -> FactDecision:
        """Return that the article lacks a fact, unless it certainly has it."""
        path = sections_of(subject).path(case.section)
        if path is None and after is not None:
            path = after.section
        if path is None or sections_of(subject).id_of(path) == "none":
            return Ignore(Ignored.NO_SECTION, "its section does not exist")
        likely = await self._likely_stated(subject, case.candidate)
        if likely >= _SURELY_SAID:
            why = f"the article says so ({likely:.0%} sure)"
            return Ignore(Ignored.ALREADY_SAID, why)
        if after is None or after.section != path:
            own = [one for one in subject.statements if one.section == path]
            after = own[-1] if own else None
        return Add(path, after, 1 - likely)

    async def _likely_stated(
        self, subject: Subject, candidate: CandidateUpdate
    ) -> float:
        """Return how likely the article says a fact; a different number is new."""
        article = "\n".join(one.full_text for one in subject.statements)
        if _counts_otherwise(candidate.text, article):
            return 0.0
        return await article_says(
            candidate.text, subject, self._verifier, self._encoder
        )


def _where(statement: Statement) -> str:
    return f"the article: “{statement.text[:200]}”"


def _shown(pairs: Iterable[tuple[str, CandidateUpdate]]) -> Iterator[Excerpt]:
    for number, (old, fact) in enumerate(pairs, 1):
        dated = f" ({fact.dated})" if fact.dated else ""
        shown = f"Article: {line(old)}\nFact{dated}: {line(fact.text)}"
        yield Excerpt(f"pair p{number}", shown)
