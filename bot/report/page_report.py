"""What a report is made of: one checked page, the state of each claim, and the counts.

"To compare", "could not check" and "no citation" are listed beside the four verdicts
but never counted among them. Pure.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from functools import cached_property

from handlers.citations.due_checks import Unchanged
from handlers.citations.unsure import is_to_compare
from handlers.edits.finding import ChangedFinding
from handlers.findings import Suggestion
from handlers.model import (
    ClaimCheck,
    Comparison,
    Consultation,
    Engine,
    Page,
    SourceOutcome,
    UnattachedReason,
    Verdict,
)
from handlers.registry import (
    OF_CITATIONS,
    OF_CLAIMS,
    Checked,
    PageNow,
    found_by,
    requested_kinds,
    told_once,
)


class ClaimState(Enum):
    """The state of a claim after the check, most urgent first."""

    CONTRADICTED = "contradicted"
    NOT_SUPPORTED = "not supported"
    PARTIALLY_SUPPORTED = "partially supported"
    TO_COMPARE = "to compare"  # read, and not sure enough: a person decides
    SUPPORTED = "supported"
    COULD_NOT_CHECK = "could not check"
    NO_CITATION = "no citation"  # tagged as needing one, and has none


ATTENTION = (
    ClaimState.CONTRADICTED,
    ClaimState.NOT_SUPPORTED,
    ClaimState.PARTIALLY_SUPPORTED,
)


def claim_state(check: ClaimCheck) -> ClaimState:
    """Return the state of the claim of `check`."""
    if check.verdict is not None:
        return ClaimState(check.verdict.value)
    if not check.claim.citations:
        return ClaimState.NO_CITATION
    is_read = is_to_compare(check)
    return ClaimState.TO_COMPARE if is_read else ClaimState.COULD_NOT_CHECK


def is_doubtful(check: ClaimCheck) -> bool:
    """Return whether the claim seems to fail, but too doubtfully to be flagged."""
    return claim_state(check) in ATTENTION and check.flag is None


def obstacle_of(check: ClaimCheck) -> SourceOutcome | None:
    """Return why the first unread source of the claim was not read, if there is one."""
    outcomes = (fetch.outcome for fetch in check.fetches)
    return next((one for one in outcomes if one is not SourceOutcome.READ), None)


@dataclass(frozen=True, slots=True)
class Summary:
    """The counts of one page. Every claim is counted exactly once.

    `could_not_check` counts claims by what happened to their first unread source,
    without zeros. `verdicts` counts claims, zeros included, and `unattached`
    references.
    """

    verdicts: Mapping[Verdict, int]
    to_compare: int  # read, and not sure enough for a verdict
    could_not_check: Mapping[SourceOutcome, int]
    without_source: int  # cited, but the citation leads to no source
    undecided: int  # every source was read, yet none can be used
    uncited: int  # tagged as needing a citation, and has none
    unattached: Mapping[UnattachedReason, int]
    flagged: int  # a person should look at these first
    doubtful: int  # with a verdict against them, but not flagged

    @property
    def checked(self) -> int:
        """Return how many claims got a verdict."""
        return sum(self.verdicts.values())

    @property
    def unchecked(self) -> int:
        """Return how many cited claims could not be checked, for whatever reason."""
        unread = sum(self.could_not_check.values())
        return unread + self.without_source + self.undecided

    @property
    def claims(self) -> int:
        """Return how many claims there are."""
        return self.checked + self.to_compare + self.unchecked + self.uncited

    @property
    def states(self) -> Mapping[ClaimState, int]:
        """Return the number of claims in every state, zeros included."""
        counts = {ClaimState(verdict.value): n for verdict, n in self.verdicts.items()}
        counts[ClaimState.TO_COMPARE] = self.to_compare
        counts[ClaimState.COULD_NOT_CHECK] = self.unchecked
        counts[ClaimState.NO_CITATION] = self.uncited
        return {state: counts[state] for state in ClaimState}


@dataclass(frozen=True)
class PageReport:
    """One checked page: everything that any form of the report is rendered from.

    `checked_at` has a time zone. `notes` are lines about the page as a whole, such as
    an attribution or "this is a redirect to …"; a page without claims needs one that
    says why. If only a part of the page was checked, `checks` holds that part, and
    `unchanged` the claims whose last result still holds.
    """

    page: Page
    checks: tuple[ClaimCheck, ...]
    engine: Engine
    checked_at: datetime
    took_s: float
    notes: tuple[str, ...] = ()
    consultation: Consultation | None = None  # if a language model is set up
    unchanged: tuple[Unchanged, ...] = ()
    comparison: Comparison | None = None  # with an earlier revision

    @cached_property
    def now(self) -> PageNow:
        """The page, with what it states; read only once, since that takes a while."""
        return PageNow(self.page)

    @cached_property
    def found(self) -> Mapping[str, tuple[Suggestion, ...]]:
        """What the check found and may be shown unasked, by kind."""
        checked = Checked(
            self.now,
            self.checks,
            today=self.checked_at.date(),
            comparison=self.comparison,
        )
        kinds = (*sorted(OF_CITATIONS), *requested_kinds(()))
        found = {kind: found_by(kind, checked) for kind in kinds}
        changed = found[ChangedFinding.kind]
        return found | {kind: told_once(found[kind], changed) for kind in OF_CLAIMS}

    @property
    def in_order(self) -> tuple[ClaimCheck, ...]:
        """Return the checks in the order of the page."""
        return tuple(sorted(self.checks, key=lambda check: check.claim.span.start))

    @property
    def summary(self) -> Summary:
        """Count the claims, and the references that belong to no claim."""
        state = Counter(map(claim_state, self.checks))
        unchecked = [
            check
            for check in self.checks
            if claim_state(check) is ClaimState.COULD_NOT_CHECK
        ]
        obstacles = Counter(map(obstacle_of, unchecked))
        without_source = sum(not check.fetches for check in unchecked)
        return Summary(
            verdicts={one: state[ClaimState(one.value)] for one in Verdict},
            to_compare=state[ClaimState.TO_COMPARE],
            could_not_check={
                one: obstacles[one] for one in SourceOutcome if obstacles[one]
            },
            without_source=without_source,
            undecided=obstacles[None] - without_source,
            uncited=state[ClaimState.NO_CITATION],
            unattached=Counter(one.reason for one in self.page.unattached),
            flagged=sum(check.flag is not None for check in self.checks),
            doubtful=sum(map(is_doubtful, self.checks)),
        )
