"""The kind of finding for a claim that a person has to compare with its source.

The source was read and the judge is not sure enough to confirm the claim, but has no
verdict against it either. A reader sees both side by side and says in one click whether
the source says so; the answers are kept, and a judge can learn from them. Pure.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from handlers.citations.beside import chars_read, grouped, near, unshared
from handlers.citations.quote_links import quoted
from handlers.citations.suggestions import is_marked
from handlers.findings import (
    CurrentPlace,
    Details,
    Facts,
    Finding,
    Suggestion,
    identity_hash,
)
from handlers.model import Claim, ClaimCheck, Message, Page, PageId, Span
from handlers.page.prose import normalised
from handlers.page.statements import statement_of

_MOST_QUOTES = 3
_HEADLINE = Message("kind-compare", "Compare with the source")
_CERTAINTY = Message(
    "certainty-compare", "A program read the source and is not sure that it says this"
)


@dataclass(frozen=True, slots=True)
class UnsureFinding(Finding):
    """The source may or may not say this; people see it beside the claim.

    `lacking` are the words of the claim that the passage does not have, and `besides`
    the words of the passage that the claim does not have. `chars` is how much was read
    where no passage is about the claim, else 0.
    """

    kind = "compare"
    asked_as = "citations"
    is_for_talk_pages = False
    is_question = True

    lacking: tuple[Span, ...] = ()
    besides: tuple[Span, ...] = ()
    chars: int = 0

    @property
    def facts(self) -> Facts:
        """What a note says about it."""
        return Facts(
            _HEADLINE,
            marked=self.lacking,
            marked_in_quote=self.besides,
            lines=(nothing_near(self.chars),) if self.chars else (),
            certainty=_CERTAINTY,
        )


EXAMPLE = UnsureFinding((Span(7, 9),), (Span(0, 2),))


def nothing_near(chars: int) -> Message:
    """Return that no passage of a source is about a claim."""
    return Message(
        "nothing-near",
        "No passage about this was found; $1 characters read.",
        (grouped(chars),),
    )


def is_to_compare(check: ClaimCheck) -> bool:
    """Return whether the sources of a claim were read, and decide nothing.

    What was not read has advice of its own, and is no question of comparing.
    """
    return (
        check.verdict is None
        and check.verification is not None
        and check.advice is None
        and bool(check.claim.citations)
    )


def unsure_claims(
    page: Page, checks: Iterable[ClaimCheck], known: Sequence[Suggestion]
) -> tuple[Suggestion, ...]:
    """Return what people have to compare, those most likely to fail first.

    Args:
        page: the page that was checked.
        checks: of its claims, as far as they were due.
        known: open suggestions of the page; those of this kind stay open where their
            claim was not due.
    """
    judged: set[str] = set()
    found: dict[str, Suggestion] = {}
    for check in checks:
        identity = _identity(page.id, check.claim)
        judged.add(identity)
        if is_to_compare(check) and not is_marked(check.claim):
            found.setdefault(identity, _suggestion(page, check, identity))
    for one in known:
        if one.identity not in judged and stands(one, page.claims) is not None:
            found[one.identity] = one
    return tuple(sorted(found.values(), key=lambda one: (-one.probability, one.place)))


def stands(found: Suggestion, claims: Iterable[Claim]) -> CurrentPlace | None:
    """Return where the same claim cites the same sources now.

    `None` if people have marked that the source does not say it.
    """
    if not isinstance(found.finding, UnsureFinding):
        return None
    words = normalised(found.claim)
    same = (
        one
        for one in claims
        if normalised(one.text) == words
        and _identity(found.page, one) == found.identity
        and not is_marked(one)
    )
    one = min(same, key=lambda each: each.section != found.section, default=None)
    if one is None:
        return None
    return CurrentPlace(statement_of(one), one.section, one.span.start, one.text)


def _suggestion(page: Page, check: ClaimCheck, identity: str) -> Suggestion:
    claim, verification = check.claim, check.verification
    if verification is None:
        raise ValueError("what was not judged is not compared")
    fetches = check.copies
    quotes = tuple(
        quoted(one, fetches.get(one.passage.source_key))
        for one in near(page.id.title, check)[:_MOST_QUOTES]
    )
    lacking, besides = unshared(claim.text, quotes[0].quote) if quotes else ((), ())
    return Suggestion(
        identity=identity,
        page=page.id,
        claim=claim.text,
        section=claim.section,
        source_keys=claim.source_keys,
        finding=UnsureFinding(lacking, besides, 0 if quotes else chars_read(check)),
        probability=1 - verification.probabilities.supported,
        quote=quotes[0].quote if quotes else None,
        quote_url=quotes[0].href if quotes else None,
        engine=verification.engine,
        place=claim.span.start,
        details=Details(
            sentence=claim.sentence,
            quotes=quotes,
            cell=tuple(filter(None, (claim.row, claim.column))),
        ),
    )


def _identity(page: PageId, claim: Claim) -> str:
    keys = sorted(claim.source_keys)
    headers = (claim.row or "", claim.column or "")
    parts = (normalised(claim.text), *headers, *keys)
    return identity_hash(page, UnsureFinding.kind, *parts)
