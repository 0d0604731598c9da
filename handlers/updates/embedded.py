"""Navigator and extractor without a language model: few updates, of two kinds only.

The subject and its sections are searched for, and the documents found are read. For
each it is checked which statements of the article it makes *outdated* (`outdated`), and
for which section it is *worth reading*. The verification model, the encoder and dates
decide; no fact is worded, and for a source worth reading none is claimed: a person
reads it and decides.

A sentence is assigned to the section that is most similar to it as a whole, heading
included, and whose rare words it shares; the lead, which repeats the sections, counts
less. Of 4,151 sentences of WikiGenBench (dev, odd ids, which were not used for tuning),
each hidden once, 60.1 % are assigned to the section they came from; without the shared
words it is 56.2 %, and 59.8 % with the words weighted as in BM25.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from math import log, sqrt

from handlers.citations.flags import language_of
from handlers.documents.dates import known_of, newest_known
from handlers.documents.document import Document, Screen
from handlers.documents.gate import PageGate
from handlers.documents.prose import Sentence
from handlers.documents.specific import Known
from handlers.model import (
    Add,
    Ask,
    CandidateUpdate,
    Corroborate,
    Ignore,
    Ignored,
    IgnoredFact,
    Move,
    Open,
    Query,
    Replace,
    RunHistory,
    SourceFetch,
    Statement,
    Stop,
    Subject,
    TagKind,
    Update,
    UpdateKind,
)
from handlers.ports import TextEncoder, Verifier
from handlers.sources.addresses import normal_key
from handlers.sources.reliability import ReliabilityLists
from handlers.text.words import Rarity, content_stems, words
from handlers.updates.entailment import (
    OUTDATED_FROM,
    article_says,
    both_values,
    may_be_outdated,
    outdated,
    values_in_role,
)
from handlers.updates.questions import Path
from handlers.updates.roles import DecidedFact, Facts, RoleAnswer

_MOST_NAMES = 3  # of the subject that are searched for
_PAGES = 40  # that are read
_LONGEST_QUERY = 200  # characters; some services refuse longer ones
_ALIKE = 0.55  # cosine of a statement and a fact that may be about one thing
# If there are no two values to compare. Hardly any pair in a run is about one thing,
# while all revisions on which `outdated` was fitted are.
_WITHOUT_VALUES = 0.85
_MOST_FACTS = 80  # sentences of a document
_SAID_FROM = 0.5  # probability that the article says so
_TRIED = 6  # sentences of a document, the most specific ones
_SAME = 0.82  # cosine of two sentences that say the same
_LEAST_ALIKE = 0.35  # cosine with the nearest statement; below, it is of something else


@dataclass
class EmbeddedReader:
    """Implements `Navigator` and `Extractor` of `handlers.updates.roles`.

    `questions` limits the queries.
    """

    verifier: Verifier
    encoder: TextEncoder
    lists: ReliabilityLists
    rarity: Rarity
    questions: int = 8
    _article: "_Article | None" = field(default=None, init=False)

    async def next_move(
        self, subject: Subject, history: RunHistory
    ) -> RoleAnswer[Move | None]:
        """Run all queries, then read what they found, in their order."""
        article = self._read(subject)
        number = len(history.queries)
        if number < min(self.questions, len(article.queries)):
            return RoleAnswer(Ask(article.queries[number], ""))
        left = [
            one for one in history.hits if normal_key(one.address) not in history.opened
        ]
        if not left or len(history.opened) >= _PAGES:
            return RoleAnswer(Stop())
        found = left[0]
        return RoleAnswer(Open(found, f"“{(found.title or found.address)[:120]}”"))

    async def extract(
        self,
        subject: Subject,
        fetch: SourceFetch,
        search: str,
        found: Sequence[Update],
    ) -> RoleAnswer[Facts | None]:
        """Return which statements a document makes outdated, and if it is worth reading."""
        article = self._read(subject)
        document = article.screen.document(fetch, article.gate)
        if not isinstance(document, Document):
            return RoleAnswer(Facts(ignored_facts=(IgnoredFact("", *document),)))
        outdated_by = await self._outdated(article, document)
        decided: dict[Statement, DecidedFact] = {}
        for fact, statement, likely in outdated_by:
            candidate = _candidate(document, fact, search, likely, likely)
            decided.setdefault(
                statement, _replaces(statement, candidate, likely, subject, found)
            )
        used = {fact for fact, *_ in outdated_by}
        left = tuple(one for one in document.found if one not in used)
        document = replace(document, found=left)
        pointer = await self._pointer(article, document, found)
        if isinstance(pointer, IgnoredFact):
            return RoleAnswer(Facts(tuple(decided.values()), (pointer,)))
        sentence, decision, score = pointer
        likely = decision.probability if isinstance(decision, Add) else 1.0
        candidate = _candidate(document, sentence, search, likely, score)
        reason = f"worth reading, dated {document.day or 'nowhere'}"
        pointed = DecidedFact(candidate, decision, reason)
        return RoleAnswer(Facts((*decided.values(), pointed)))

    async def _outdated(
        self, article: "_Article", document: Document
    ) -> list[tuple[Sentence, Statement, float]]:
        """Return sentences with the statement that each makes outdated, and how likely.

        Only a document with a certain date makes any outdated.
        """
        day, dated = document.day, article.dated
        if day is None or not dated:
            return []
        title, facts = article.subject.page.id.title, document.found[:_MOST_FACTS]
        alike = await self.encoder.likeness(
            [one.text for one in facts], [one.full_text for one, _ in dated]
        )
        found = []
        for fact, row in zip(facts, alike, strict=True):
            at = max(range(len(row)), key=row.__getitem__)
            statement, known = dated[at]
            if row[at] < _ALIKE or not may_be_outdated(
                statement, known, fact.text, day
            ):
                continue
            likely = await outdated(
                self.verifier, title, statement.full_text, fact.text
            )
            values = values_in_role(title, statement.full_text, fact.text)
            if likely >= (OUTDATED_FROM if values else _WITHOUT_VALUES):
                found.append((fact, statement, likely))
        return found

    async def _pointer(
        self, article: "_Article", document: Document, found: Sequence[Update]
    ) -> tuple[Sentence, Add | Corroborate, float] | IgnoredFact:
        """Return the most specific sentence that the article lacks, or why none counts."""
        why = IgnoredFact("", Ignored.ALREADY_SAID, "it names nothing new")
        for score, one in article.known.best(document.found)[:_TRIED]:
            said = await self._said(article, one.text)
            if said is not None:
                why = said
                continue
            again = await self._again(one.text, found)
            if again is not None and again.text == one.text:
                detail = "it is worded like another page"
                return IgnoredFact(one.text, Ignored.DUPLICATE, detail)
            if again is not None:
                return one, Corroborate(again.number), score
            [ranked] = await place(article.subject, [one.text], self.encoder)
            if not ranked:
                return IgnoredFact(one.text, Ignored.NO_SECTION)
            section = ranked[0][1]
            newest = article.newest_of(section)
            # If every day counts, a document need not be newer, or even have a date.
            is_old = (document.day or date.min) <= newest
            if is_old and not article.subject.window.is_open:
                detail = f"the article cites sources up to {newest}"
                return IgnoredFact(one.text, Ignored.OLDER_THAN_ARTICLE, detail)
            subject = article.subject
            likely = await article_says(one.text, subject, self.verifier, self.encoder)
            if likely < _SAID_FROM:
                return one, Add(section, None, 1 - likely, UpdateKind.POINTER), score
            detail = f"the article says so ({likely:.0%} sure)"
            why = IgnoredFact(one.text, Ignored.ALREADY_SAID, detail)
        return why

    async def _said(self, article: "_Article", text: str) -> IgnoredFact | None:
        """Return why a sentence is not new, or is of something else; `None` if neither."""
        statements = [one.full_text for one in article.subject.statements]
        alike, nearest = await self._nearest(text, statements)
        if statements and alike < _LEAST_ALIKE:
            why = "nothing in the article is like it"
            return IgnoredFact(text, Ignored.NOT_ABOUT_SUBJECT, why)
        if alike >= _SAME and not _adds_number(text, nearest):
            why = "the article has a sentence like it"
            return IgnoredFact(text, Ignored.ALREADY_SAID, why)
        return None

    async def _again(self, text: str, found: Sequence[Update]) -> Update | None:
        """Return the source worth reading that says the same, if one was found."""
        pointers = {one.text: one for one in found if one.kind is UpdateKind.POINTER}
        alike, nearest = await self._nearest(text, [*pointers])
        is_same = alike >= _SAME and not _adds_number(text, nearest)
        return pointers[nearest] if is_same else None

    async def _nearest(self, text: str, others: Sequence[str]) -> tuple[float, str]:
        """Return the likeness of the nearest of `others`, and that text."""
        if not others:
            return 0.0, ""
        [alike] = await self.encoder.likeness([text], others)
        at = max(range(len(alike)), key=alike.__getitem__)
        return float(alike[at]), others[at]

    def _read(self, subject: Subject) -> "_Article":
        """Return what is known of an article; worked out once for each run."""
        if self._article is None or self._article.subject is not subject:
            self._article = _Article(subject, self.lists, self.rarity)
        return self._article


class _Article:
    """An article as the documents of a run are compared with it."""

    def __init__(
        self, subject: Subject, lists: ReliabilityLists, rarity: Rarity
    ) -> None:
        self.subject = subject
        self.screen = Screen(subject, lists)
        text = "\n".join(one.full_text for one in subject.statements)
        self.gate = PageGate(subject.names, text, rarity)
        page, today = subject.page, subject.today
        self.newest = newest_known(page, today)
        self.dated = [
            (one, known)
            for one in subject.statements
            if (known := known_of(one, page, today))
        ]
        self.known = Known(subject.names, text)
        self.queries = _queries(subject, self.newest)

    def newest_of(self, section: Path) -> date:
        """Return the day of the newest source of a section, else of the article."""
        return self.newest.get(section) or max(self.newest.values(), default=date.min)


def _queries(subject: Subject, newest: Mapping[Path, date]) -> list[Query]:
    """Return the queries: the subject's names, then its sections.

    Sections where editors ask for an update come first, then the newest.
    """
    title, page = subject.names[0], subject.page
    tagged = {
        one.path
        for tag in page.tags
        for one in page.sections
        if tag.kind is TagKind.OUTDATED
        and one.body.start <= tag.span.start < one.body.end
    }
    sections = sorted(
        (one.path for one in subject.criteria.sections if one.is_open and one.path),
        key=lambda path: (path in tagged, newest.get(path, date.min)),
        reverse=True,
    )
    queries: list[tuple[str, Path]] = [
        (name, ()) for name in subject.names[:_MOST_NAMES]
    ]
    queries += [(f"{title} {path[-1]}", path) for path in sections]
    return [
        Query(
            text[:_LONGEST_QUERY].strip(),
            title,
            section,
            window=subject.window,
            language=language_of(page.id.wiki),
        )
        for text, section in queries
    ]


def _candidate(
    document: Document, sentence: Sentence, search: str, likely: float, score: float
) -> CandidateUpdate:
    return CandidateUpdate(
        text=sentence.text,
        evidence=document.evidence(sentence, likely),
        fetch=document.fetch,
        dated=document.day,
        dated_in=document.dated.place if document.dated else None,
        search=search,
        score=score,
    )


def _replaces(
    statement: Statement,
    candidate: CandidateUpdate,
    likely: float,
    subject: Subject,
    found: Sequence[Update],
) -> DecidedFact:
    """Return that a statement is outdated, or what a source adds to one that was found."""
    title = subject.page.id.title
    values = values_in_role(title, statement.full_text, candidate.text)
    reason = both_values(values, candidate.dated)
    known = next((one for one in found if one.replaces == statement), None)
    if known is None:
        return DecidedFact(candidate, Replace(likely, statement=statement), reason)
    if values_in_role(title, known.text, candidate.text):
        why = "its value differs from that of the source found before"
        decision = Ignore(Ignored.DISPUTED, why, update=known.number)
        return DecidedFact(candidate, decision)
    decided = Corroborate(known.number)
    return DecidedFact(candidate, decided, f"another source: {reason}")


def _adds_number(text: str, other: str) -> bool:
    """Return whether a text has a number that the other one lacks."""
    mine, its = (
        {word.stem for word in words(one) if word.is_number} for one in (text, other)
    )
    return not mine <= its


_MOST_SAID = 100  # statements that represent a long section
_PLENTY = 3.0  # weight of a text's words from which the best section gets 1
_WHOLE, _WORDS, _LEAD_COST = 0.7, 0.12, 0.12


async def place(
    subject: Subject, texts: Sequence[str], encoder: TextEncoder
) -> list[list[tuple[float, Path]]]:
    """Return for each of `texts` the sections that take facts, the best first.

    Scores, about 0 to 1, are comparable between the texts of one article. A text gets
    an empty list if no section takes facts.
    """
    paths = [one.path for one in subject.criteria.sections if one.is_open]
    if not texts or not paths:
        return [[] for _ in texts]
    statements = [
        [one.full_text for one in subject.statements if one.section == p] for p in paths
    ]
    stems = [
        content_stems(words(" ".join((*path, *own))))
        for path, own in zip(paths, statements, strict=True)
    ]
    by_words = [_by_words(text, stems) for text in texts]
    ranked: list[list[tuple[float, Path]]] = [[] for _ in texts]
    for number, (path, own) in enumerate(zip(paths, statements, strict=True)):
        parts = [" – ".join(path) or "-", *own[:: 1 + len(own) // _MOST_SAID]]
        # The cosine with the mean of the parts, from the cosines with each.
        squared = sum(map(sum, await encoder.likeness(parts, parts)))
        length = sqrt(max(0.0, squared)) or 1.0
        cost = 0.0 if path else _LEAD_COST
        for at, row in enumerate(await encoder.likeness(texts, parts)):
            whole = _WHOLE * sum(row) / length
            ranked[at].append((whole + _WORDS * by_words[at][number] - cost, path))
    return [sorted(one, key=lambda each: (-each[0], each[1])) for one in ranked]


def _by_words(text: str, sections: Sequence[frozenset[str]]) -> list[float]:
    """Return how many words of `text` each section has, the rare ones more, 0 to 1.

    The section that has most gets 1, unless it has hardly any.
    """
    among = {
        stem: sum(stem in one for one in sections)
        for stem in content_stems(words(text))
    }
    sums = [
        sum(log(1 + len(sections) / among[stem]) for stem in among if stem in one)
        for one in sections
    ]
    most = max(_PLENTY, *sums)
    return [total / most for total in sums]
