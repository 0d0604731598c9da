"""Which findings of a review are worth showing, and whether they are still on the page.

A review finds more than anyone wants to read at once. Of a long article's findings the
most certain are shown, a few of each kind, and others take their place as those are
fixed. A finding that is shown stays until its words are changed, whatever else is
found. Checking that needs no new review, which costs ten times as much as reading the
page.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from datetime import date

from handlers.findings import (
    CurrentPlace,
    Details,
    Quoted,
    Suggestion,
    WritingFinding,
    finding_of,
    identity_hash,
)
from handlers.model import (
    CheckKind,
    Engine,
    Flag,
    IssueKind,
    Page,
    PageId,
    Review,
    Source,
    Statement,
    WritingIssue,
)
from handlers.page.prose import normalised
from handlers.review.review import review

MOST_OF_PAGE = 12
MOST_OF_KIND = 3  # the first places; the article has others like them
_VERSION = "1"
_WIKIPEDIA = ".wikipedia.org"
_IN_ENGLISH = frozenset({"en", "simple", "test", "test2"})


def is_reviewed(wiki: str) -> bool:
    """Return whether the writing of a wiki's pages is reviewed.

    The guidelines and the words to watch are those of the English Wikipedia; other
    languages have their own.
    """
    language, is_wikipedia, _ = wiki.partition(_WIKIPEDIA)
    return not is_wikipedia or language in _IN_ENGLISH


def suggestions_of(page: Page, review: Review) -> tuple[Suggestion, ...]:
    """Return a suggestion for each finding, the most certain first."""
    found: dict[str, Suggestion] = {}
    sources = {one.key: one for claim in page.claims for one in claim.sources}
    for issue in review.findings:
        one = _suggestion(page, issue, sources)
        found.setdefault(one.identity, one)
    return tuple(sorted(found.values(), key=_surest_first))


def chosen(
    found: Sequence[Suggestion],
    known: Set[str],
    closed: Set[str] = frozenset(),
    *,
    most: int = MOST_OF_PAGE,
    of_kind: int = MOST_OF_KIND,
) -> tuple[Suggestion, ...]:
    """Return those to show: those already shown, and the best that there is room for.

    `found` has the most certain first. Those that people have decided on (`closed`) are
    no longer shown, so they take no room, but are kept so that they do not come back as
    new.
    """
    shown = [one for one in found if one.identity in known]
    used = Counter(_kind(one) for one in shown if one.identity not in closed)
    for one in found:
        if used.total() >= most:
            break
        is_new = one.identity not in known | closed
        if is_new and used[_kind(one)] < of_kind:
            used[_kind(one)] += 1
            shown.append(one)
    return tuple(shown)


def identity_of(page: PageId, issue: WritingIssue) -> str:
    """Return the hash that names a finding in every revision.

    It is made from the page, the kind, and the words that are meant. A finding about
    the whole page has its guideline instead of words. So edits elsewhere do not change
    it.
    """
    what = issue.section if _is_of_section(issue) else (normalised(issue.quote),)
    if issue.is_of_page:
        what = (issue.guideline,)
    return identity_hash(page, "writing", issue.kind.name, *what)


def _is_of_section(issue: WritingIssue) -> bool:
    """Return whether a whole section, or the page, is meant."""
    is_headed = bool(issue.section) and issue.quote == issue.section[-1][:300]
    return issue.is_of_page or not issue.quote or is_headed


def _suggestion(
    page: Page, issue: WritingIssue, sources: Mapping[str, Source]
) -> Suggestion:
    key, source_quote = issue.source_key, issue.source_quote
    source = sources.get(key) if key else None
    return Suggestion(
        identity=identity_of(page.id, issue),
        page=page.id,
        claim=issue.quote,
        section=issue.section,
        source_keys=(key,) if key else (),
        finding=WritingFinding(
            flaw=issue.kind,
            message=issue.message,
            advice=issue.advice,
            guideline=issue.guideline,
            criteria=issue.criteria,
            at_fault=issue.marked,
            source_quote=source_quote,
            is_of_section=_is_of_section(issue),
        ),
        probability=issue.confidence,
        quote=source_quote or None,
        quote_url=source.url if source else None,
        engine=issue.engine or _engine(issue.kind),
        flag=Flag(CheckKind.WRITING, issue.confidence, issue.confidence),
        place=issue.span.start,
        details=details_of(issue, source),
    )


def details_of(issue: WritingIssue, source: Source | None) -> Details:
    """Return the details of a suggestion for an issue that rests on a source, if any."""
    words, key = issue.source_quote, issue.source_key
    quotes = (_quoted(words, key, source),) if words and key else ()
    return Details(sentence=issue.quote, quotes=quotes)


def _engine(kind: IssueKind) -> Engine:
    """Return an engine for each kind, so that each can be silenced separately."""
    return Engine(f"review: {kind.value}", _VERSION)


def _quoted(words: str, key: str, source: Source | None) -> Quoted:
    return Quoted(
        quote=words,
        before="",
        after="",
        cut_before=True,
        cut_after=True,
        source_key=key,
        title=(source.title if source else None) or key,
        work=source.work if source else None,
        href=source.url if source else None,
    )


def _kind(one: Suggestion) -> IssueKind | None:
    note = finding_of(one, WritingFinding)
    return note.flaw if note else None


def _surest_first(one: Suggestion) -> tuple[float, int, str]:
    return -one.probability, one.place, one.identity


_END = re.compile(r"\n[\n=*#:;|]")  # of a paragraph: a list has its own sources


class ReviewedPage:
    """A page in which findings about its wording are looked up."""

    def __init__(self, page: Page, statements: Sequence[Statement]) -> None:
        self.page = page
        self._statements = [(normalised(one.text), one) for one in statements]
        self._by_words = dict(reversed(self._statements))
        self._sections = {one.path: one for one in reversed(page.sections)}
        citations = (each for claim in page.claims for each in claim.citations)
        marks = {each.marker.start for each in citations}
        marks |= {each.span.start for each in page.unattached}
        marks |= {each.span.start for each in page.tags}
        self._marks = sorted(marks)

    def find(self, found: Suggestion) -> CurrentPlace | None:
        """Return where a finding is now; `None` if settled, or not about writing."""
        note = finding_of(found, WritingFinding)
        if note is None:
            return None
        here, then = self.page.id, found.page
        if here.revision_id is not None and here.revision_id == then.revision_id:
            return CurrentPlace(None, found.section, found.place, found.claim)
        if note.is_of_section:
            section = self._sections.get(found.section)
            if section is None:
                return None
            return CurrentPlace(None, found.section, section.span.start, found.claim)
        stood = self.place_of(found)
        statement = stood.statement if stood else None
        is_settled = statement is None or self._is_settled(note, statement)
        return None if is_settled else stood

    def place_of(self, found: Suggestion) -> CurrentPlace | None:
        """Return where the words of a suggestion are now."""
        statement = self._statement(normalised(found.claim))
        if statement is None:
            return None
        start = statement.span.start
        return CurrentPlace(statement, statement.section, start, found.claim)

    def _statement(self, words: str) -> Statement | None:
        """Return the first with these words; only part of a long one was kept."""
        if words in self._by_words or not words:
            return self._by_words.get(words)
        return next((one for text, one in self._statements if words in text), None)

    def _is_settled(self, note: WritingFinding, statement: Statement) -> bool:
        if note.flaw is not IssueKind.UNSOURCED:
            return False
        start = statement.span.start
        end = _END.search(self.page.wikitext, start)
        first = bisect_left(self._marks, start)
        return first < len(self._marks) and (
            end is None or self._marks[first] < end.start()
        )


def writing_suggestions(
    page: Page,
    still_open: Iterable[Suggestion],
    closed: Callable[[Sequence[str]], frozenset[str]],
    today: date,
) -> tuple[Suggestion, ...]:
    """Return the suggestions about the writing of a checked page.

    Words copied from a source are a kind of their own, `handlers.review.copied`.
    `closed` returns, of some identities, those that people have decided on.
    """
    if not is_reviewed(page.id.wiki):
        return ()
    known = {
        one.identity for one in still_open if isinstance(one.finding, WritingFinding)
    }
    found = suggestions_of(page, review(page, today=today))
    return chosen(found, known, closed([one.identity for one in found]))
