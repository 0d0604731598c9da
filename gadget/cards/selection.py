"""Which suggestions are shown, in which order, and where a queue continues. Pure."""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from math import isfinite
from typing import NamedTuple

from bot.report.notes import urgency
from bot.store import RankedSuggestion
from bot.surfaces.feedback import Feedback
from bot.surfaces.opt_in.community import Community
from bot.surfaces.opt_in.scope import is_ignored
from gadget.cards.revisions import Parsed
from gadget.cards.sources import filled
from handlers.citations.suggestions import is_marked, wants_source
from handlers.citations.tags import TagFinding, has_tag
from handlers.edits.finding import ChangedFinding
from handlers.findings import (
    Remedy,
    RemedyKind,
    SourceFinding,
    Suggestion,
    finding_of,
)
from handlers.model import Claim
from handlers.ports import PermanentError
from handlers.registry import KINDS

_LONGEST_CURSOR = 500


class Visibility(Enum):
    """How a suggestion is treated."""

    FLAGGED = "flagged"  # certain enough to be shown unasked
    DOUBTFUL = "doubtful"  # shown to those who ask for more
    LEFT_OUT = "left out"


@dataclass(frozen=True, slots=True)
class CardSettings:
    """What a community and its readers want to see on a wiki."""

    wiki: str
    community: Community
    feedback: Feedback

    def of(
        self, found: Suggestion | RankedSuggestion, section: tuple[str, ...]
    ) -> Visibility:
        """Return how to treat a suggestion whose claim is in `section`."""
        flag = found.flag
        if is_ignored(section, self.community) or self._is_withdrawn(found.kind):
            return Visibility.LEFT_OUT
        if flag is None:
            # A source is certainly wanted there: editors say so.
            needs_flag = KINDS[found.kind].finding.needs_flag
            return Visibility.DOUBTFUL if needs_flag else Visibility.FLAGGED
        if not self.feedback.allows(flag, found.engine, self.wiki):
            return Visibility.LEFT_OUT
        least = self.community.thresholds.get(flag.kind, 0.0)
        return Visibility.FLAGGED if flag.probability >= least else Visibility.DOUBTFUL

    def _is_withdrawn(self, kind: str) -> bool:
        """Return whether it is shown only on request, on a wiki that allows none."""
        finding = KINDS[kind].finding
        checks = {each.value for each in self.community.checks}
        return not finding.is_shown_unasked and finding.asked_as not in checks


def claim_of(found: Suggestion, parsed: Parsed) -> Claim | None:
    """Return the claim that a suggestion is about; `None` if its text has changed.

    If the page makes the claim twice, it is the one in the same place as then.
    """
    same = parsed.by_identity.get(found.identity, ())

    def unlike(claim: Claim) -> tuple[bool, bool]:
        occurrence = parsed.occurrences.get(claim.span, 0)
        return claim.section != found.section, occurrence != found.details.occurrence

    return min(same, key=unlike, default=None)


def is_settled(found: Suggestion, claim: Claim) -> bool:
    """Return whether editors have done what the suggestion asks for.

    They have tagged the claim, or its citation has the archived copy by now: then the
    claim and its source are still the same, and only the next check shows more. Or they
    no longer ask for a source, or have removed the tag.
    """
    tagged = finding_of(found, TagFinding)
    if tagged is not None:
        return not has_tag(claim, tagged.tag)
    if found.kind == SourceFinding.kind:
        return not wants_source(claim)
    return is_marked(claim) or any(
        _is_filled_in(remedy, claim)
        for remedy in found.remedies
        if remedy.kind is RemedyKind.ARCHIVED_COPY
    )


def _is_filled_in(remedy: Remedy, claim: Claim) -> bool:
    copied = filled(remedy.citation)
    return copied is not None and any(
        (source.url, source.archive_url, source.url_status)
        == (copied.url, copied.archive_url, copied.url_status)
        for source in claim.sources
    )


class Rank(NamedTuple):
    """The sort key of a queue: the `order` of the notes."""

    gravity: int
    improbability: float
    place: int
    identity: str


def rank(one: RankedSuggestion) -> Rank:
    """Return the place of a suggestion in a queue."""
    first, then = urgency(one.kind, one.verdict, one.flag, one.probability)
    return Rank(first, then, one.place, one.identity)


def by_edit(found: Suggestion) -> Rank:
    """Return the place of a note about an edit where the newest edit comes first."""
    changed = finding_of(found, ChangedFinding)
    at = changed.at if changed else None
    return Rank(0, -at.timestamp() if at else 0.0, found.place, found.identity)


def cursor(last: Rank) -> str:
    """Return the cursor for the suggestions after `last`."""
    return urlsafe_b64encode(json.dumps(last).encode()).decode()


def behind(ranks: Iterable[Rank], after: str | None) -> list[Rank]:
    """Return the ranks after a cursor, in their order; all if there is no cursor.

    Raises:
        PermanentError: it is not one of our cursors.
    """
    ordered = sorted(ranks)
    if after is None:
        return ordered
    last = _read(after)
    return [each for each in ordered if each > last]


def _read(after: str) -> Rank:
    try:
        if len(after) > _LONGEST_CURSOR:
            raise ValueError
        gravity, improbability, place, identity = json.loads(
            urlsafe_b64decode(after.encode("ascii"))
        )
        last = Rank(int(gravity), float(improbability), int(place), identity)
        if not (isfinite(last.improbability) and isinstance(identity, str)):
            raise ValueError
    except (ValueError, TypeError, OverflowError, RecursionError) as error:
        raise PermanentError(
            "this is not a place in the queue; leave `after` out to start over"
        ) from error
    return last
