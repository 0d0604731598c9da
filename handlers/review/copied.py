"""The kind of finding for a sentence that repeats its source word for word.

A citation does not make copied words one's own. They are compared by
`handlers.review.sources`, which leaves out quotations, titles, lists, and pages that
say that they contain free text. Pure.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from handlers.findings import Facts, Finding, Suggestion, identity_hash
from handlers.model import ClaimCheck, Engine, Message, Page, Span, WritingIssue
from handlers.page.prose import normalised
from handlers.review.manuscript import manuscript_of
from handlers.review.sources import close_paraphrase
from handlers.review.suggestions import ReviewedPage, details_of

_ENGINE = Engine("copied words", "1")
_CERTAINTY = Message("certainty-copied", "The words of both were compared one by one")


@dataclass(frozen=True, slots=True)
class CopiedFinding(Finding):
    """So many words in a row are the same in the article and in the source it cites.

    `at_fault` is where they are in the suggestion's claim.
    """

    kind = "copied"
    asked_as = "citations"
    is_for_talk_pages = False
    needs_flag = False  # a comparison of words is no guess

    words: int
    at_fault: tuple[Span, ...] = ()

    @property
    def facts(self) -> Facts:
        """What a note says about it."""
        return Facts(
            Message("kind-copied", "Word for word as in its source"),
            marked=self.at_fault,
            lines=(
                Message(
                    "note-copied", "$1 words in a row are the same.", (self.words,)
                ),
                Message("advice-copied", _ADVICE),
            ),
            guideline="WP:CLOP",
            certainty=_CERTAINTY,
        )


_ADVICE = (
    "Say it in your own words, or mark it as a quotation; first make sure that the"
    " source did not copy the article."
)
EXAMPLE = CopiedFinding(23, (Span(7, 9),))


def copied_sentences(
    page: Page,
    wording: ReviewedPage,
    checks: Iterable[ClaimCheck],
    known: Sequence[Suggestion],
) -> tuple[Suggestion, ...]:
    """Return the sentences that repeat what they cite, in the order of the page.

    Args:
        page: the page that was checked.
        wording: where its words are looked up.
        checks: of its claims, with the sources that were read for them.
        known: open suggestions of the page; those of this kind stay open where their
            source was not read this time, as long as the words do.
    """
    texts = {
        fetch.source.key: fetch.document.text
        for check in checks
        for fetch in check.fetches
        if fetch.document is not None
    }
    issues = close_paraphrase(manuscript_of(page), texts) if texts else ()
    some = (_suggestion(page, one) for one in issues)
    found = {one.identity: one for one in some}
    for one in known:
        is_ours = isinstance(one.finding, CopiedFinding) and one.identity not in found
        is_unread = texts.keys().isdisjoint(one.source_keys)
        if is_ours and is_unread and wording.place_of(one) is not None:
            found[one.identity] = one
    return tuple(sorted(found.values(), key=lambda one: one.place))


def _suggestion(page: Page, issue: WritingIssue) -> Suggestion:
    sources = {one.key: one for claim in page.claims for one in claim.sources}
    key = issue.source_key or ""
    source = sources.get(key)
    return Suggestion(
        identity=identity_hash(
            page.id, CopiedFinding.kind, normalised(issue.quote), key
        ),
        page=page.id,
        claim=issue.quote,
        section=issue.section,
        source_keys=(key,),
        finding=CopiedFinding(
            sum(len(one.of(issue.quote).split()) for one in issue.marked), issue.marked
        ),
        probability=issue.confidence,
        quote=issue.source_quote or None,
        quote_url=source.url if source else None,
        engine=_ENGINE,
        place=issue.span.start,
        details=details_of(issue, source),
    )
