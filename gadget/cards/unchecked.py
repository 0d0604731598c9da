"""The claims that could not be checked, and what a person can do about them. Pure."""

from collections.abc import Iterator
from itertools import islice

from bot.opt_in.community import Community
from bot.opt_in.scope import is_ignored
from bot.report.advice import ADVICE
from bot.report.words import clean
from bot.store import KeptCheck, KeptClaim, KeptReading
from gadget.cards.dealing import claim_shown
from gadget.cards.edits import Editor
from gadget.cards.parsed import Parsed
from gadget.cards.sources import Sources
from gadget.payloads.cards import Unchecked
from handlers.citations.better.reliability import ReliabilityLists
from handlers.model import Claim, SourceOutcome, Span
from handlers.wikitext.anchors import normalised

_MOST = 200


def unchecked_of(
    check: KeptCheck, parsed: Parsed, community: Community, shown: "Shown"
) -> list[Unchecked]:
    """Return them in the order of the page, at most some 200."""
    found = sorted(_found(check, parsed, community), key=_place)
    return [shown.unchecked(*each) for each in islice(found, _MOST)]


def _found(
    check: KeptCheck, parsed: Parsed, community: Community
) -> Iterator[tuple[Claim, KeptClaim, KeptReading]]:
    given: set[Span] = set()
    for kept in check.claims:
        unread = [one for one in kept.readings if one.outcome is not SourceOutcome.READ]
        if kept.verdict is not None or not unread:
            continue
        claim = _claim(kept, parsed, given)
        if claim is not None and not is_ignored(claim.section, community):
            given.add(claim.span)
            yield claim, kept, unread[0]


def _claim(kept: KeptClaim, parsed: Parsed, given: set[Span]) -> Claim | None:
    """Return the claim with the same words and sources that was not given out yet."""
    keys = {reading.source_key for reading in kept.readings}
    same = [
        claim
        for claim in parsed.by_words.get(normalised(kept.text), ())
        if claim.span not in given and keys <= {one.key for one in claim.sources}
    ]
    return min(same, key=lambda claim: claim.section != kept.section, default=None)


def _place(found: tuple[Claim, KeptClaim, KeptReading]) -> int:
    return found[0].span.start


class Shown:
    """Makes what is shown of a claim that could not be checked."""

    def __init__(
        self,
        parsed: Parsed,
        editor: Editor,
        lists: ReliabilityLists,
        gone: frozenset[str],
    ) -> None:
        self._parsed, self._editor, self._lists = parsed, editor, lists
        self._gone = gone

    def unchecked(
        self, claim: Claim, kept: KeptClaim, unread: KeptReading
    ) -> Unchecked:
        """Return it with what can be done about its first source that was not read."""
        sources = Sources(self._parsed.page.id, self._lists)
        sources.cited([s for s in claim.sources if s.key == unread.source_key], ())
        advice = [clean(kept.advice)] if kept.advice else []
        return Unchecked(
            claim=claim_shown(claim, self._parsed),
            outcome=unread.outcome.value,
            advice=" ".join([*advice, ADVICE[unread.outcome]]),
            source=sources.shown[0] if sources.shown else None,
            edits=list(self._editor.dead_links(claim, self._gone)),
        )
