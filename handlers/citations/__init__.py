"""SIDE's question for a whole page: does each cited source support its claim?

Takes a page's claims and the tools, and yields a check of each claim. Pure; it awaits only
its tools. Start with `check_citations` below, then follow a claim:

- `tags`: which claims are checked first, and when a tag can go
- `due_checks`: which claims of a page that was checked before are checked again
- `passages`: which sources can be judged, cut into passages
- `corpus`: the passages, analysed once for all claims
- `comparison`: what the sources state that is nearest to the claim
- `values`, `cells`: which number or date, or which cell of a table, stands in its place
- `features`, `network_input`: all this in numbers; what the network reads
- `verification`: the verdict and its evidence
- `model_questions`, `model_judge`: what a language model is asked; how its answers count
- `quotes`, `quote_links`: the sentences that decide; where they stand in the source
- `better_sources`, `drift`: another source; whether the page cited has changed
- `flags`: what is shown to people, by operating points
- `beside`, `unsure`: claim and passage side by side; what a person has to compare
- `suggestions`: what is stored of it
- `ranking`: claims of many pages, those most likely to fail first
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Sequence
from typing import TypeAlias

from handlers.citations.passages import cut_beside, readable
from handlers.citations.tags import goes_first
from handlers.model import (
    Claim,
    ClaimCheck,
    Message,
    MissingKind,
    MissingPiece,
    Page,
    Passage,
    SourceFetch,
    SourceOutcome,
    Verdict,
    Verification,
)
from handlers.ports import Tools

Cut: TypeAlias = Callable[[SourceFetch], Awaitable[tuple[Passage, ...]]]


async def check_citations(page: Page, tools: Tools) -> AsyncGenerator[ClaimCheck, None]:
    """Yield the check of every claim of `page`, in the order they finish.

    Claims that editors have tagged are started first. One claim that cannot be checked
    does not stop the others. The reader decides how many sources are read at once.
    """
    passages = _cut_once()
    tasks = [
        asyncio.create_task(_check(page, claim, tools, passages))
        for claim in sorted(page.claims, key=lambda one: not goes_first(one))
    ]
    try:
        for done in asyncio.as_completed(tasks):
            yield await done
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _check(page: Page, claim: Claim, tools: Tools, passages: Cut) -> ClaimCheck:
    found = await asyncio.gather(*map(tools.sources.read, claim.sources))
    fetches = _distinct(readable(one, page.id.wiki, page.language) for one in found)
    candidates = [passage for fetch in fetches for passage in await passages(fetch)]
    if not candidates:
        return ClaimCheck(claim, fetches, verdict=None, verification=None)
    verification = await tools.verifier.verify(page.id.title, claim, candidates)
    return conclude(claim, fetches, verification)


def _distinct(fetches: Iterable[SourceFetch]) -> tuple[SourceFetch, ...]:
    """Return the fetches in order, each copy once, however it is cited."""
    found: dict[tuple[str, SourceOutcome], SourceFetch] = {}
    for fetch in fetches:
        found.setdefault((fetch.key, fetch.outcome), fetch)
    return tuple(found.values())


def conclude(
    claim: Claim, fetches: tuple[SourceFetch, ...], verification: Verification
) -> ClaimCheck:
    """Return the check, without a verdict that rests on something that is missing.

    Where words of the claim are not known, what is left of it decides nothing. And
    adjacent citations support the claim together: what the sources that were read do
    not say may be in the one that was not, or in the rest of one that was read in part.
    """
    verdict: Verdict | None = verification.verdict
    advice: Message | None = None
    unread = [fetch for fetch in fetches if fetch.document is None]
    unread_pieces = _unread_pieces(fetches, verification.verdict)
    if claim.missing:
        verdict, advice = None, words_missing(claim.missing)
    elif unread_pieces:
        verdict, advice = None, read_in_part(unread_pieces[0])
    elif unread and (says := _OF_OTHERS.get(verification.verdict)):
        verdict, advice = None, says(len(fetches) - len(unread), len(fetches))
    return ClaimCheck(claim, fetches, verdict, verification, advice)


def _unread_pieces(
    fetches: tuple[SourceFetch, ...], verdict: Verdict
) -> tuple[MissingPiece, ...]:
    """Return what was not read of the sources and could change the verdict.

    The words that confirm a claim were read, whatever else was not, unless the columns
    of their page were mixed up.
    """
    pieces = (
        piece for one in fetches if one.document for piece in one.document.missing
    )
    is_found = verdict is Verdict.SUPPORTED
    return tuple(
        one
        for one in pieces
        if one.kind.may_decide and (not is_found or one.kind is MissingKind.COLUMNS)
    )


_READ_IN_PART = {
    MissingKind.FRAME: "The page shows text in a frame, which was not read: open the page and compare the words yourself.",
    MissingKind.SCAN: "Pages of the source are pictures without text ($1): read them yourself.",
    MissingKind.PICTURE: "The source shows words in pictures, which were not read: compare them yourself.",
    MissingKind.LEFT_OUT: "Some words of the source could not be read: open it and compare the words yourself.",
    MissingKind.COLUMNS: "Columns of the source were mixed up when it was read ($1): compare the words yourself.",
    MissingKind.CUT_OFF: "Only the beginning of the source was read: open it and compare the rest yourself.",
}


def read_in_part(piece: MissingPiece) -> Message:
    """Return what to do where a piece of a source was not read."""
    key = f"advice-missing-{piece.kind.value.replace(' ', '-')}"
    values = (piece.what,) if "$1" in _READ_IN_PART[piece.kind] else ()
    return Message(key, _READ_IN_PART[piece.kind], values)


def others_unread(read: int, of: int) -> Message:
    """Return what to do where only some of a claim's sources were read."""
    did = "was read and does" if read == 1 else "were read and do"
    return Message(
        "advice-others-unread",
        f"$1 of $2 sources {did} not support the claim; read the others before judging it.",
        (read, of),
    )


def words_missing(pieces: Sequence[MissingPiece]) -> Message:
    """Return what to do about a claim whose words are not all known."""
    named = ", ".join(dict.fromkeys(piece.what for piece in pieces[:_MOST_NAMED]))
    return Message(
        "advice-words-missing",
        "Could not check all of it: what $1 shows on the page is not known here. Compare"
        " these words with the source yourself.",
        (named,),
    )


_MOST_NAMED = 3


def others_hold_rest(read: int, of: int) -> Message:
    """Return what to do where those that were read say only a part of the claim."""
    did = "was read and supports" if read == 1 else "were read and support"
    return Message(
        "advice-others-unread-part",
        f"$1 of $2 sources {did} part of the claim; the rest may be in the others.",
        (read, of),
    )


_OF_OTHERS = {
    Verdict.NOT_SUPPORTED: others_unread,
    Verdict.PARTIALLY_SUPPORTED: others_hold_rest,
}


def _cut_once() -> Cut:
    """Return a cutter that cuts each source once, however many claims cite it."""
    known: dict[tuple[str, str | None], asyncio.Task[tuple[Passage, ...]]] = {}

    async def passages(fetch: SourceFetch) -> tuple[Passage, ...]:
        if fetch.document is None:
            return ()
        copy = fetch.key, fetch.content_sha256
        if copy not in known:
            known[copy] = asyncio.create_task(cut_beside(fetch.document, fetch.key))
        return await known[copy]

    return passages
