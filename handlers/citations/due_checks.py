"""Which claims need a new check: those that changed, and those last checked long ago.

A claim's result depends on its words, on what it cites and how, and on what judged it.
While these stay the same, the result is kept and the sources are not read again. The
words around a claim (the heading above it, the sentences before it) are left out,
although a verifier may use them: otherwise a single edit could have half of the page
checked again. They count the next time the claim is checked. Pure.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Protocol

from handlers.citations.flags import OperatingPoint
from handlers.citations.tags import goes_first
from handlers.model import (
    Claim,
    ClaimCheck,
    Engine,
    ModelFailure,
    Source,
    SourceOutcome,
    Verdict,
)
from handlers.page.prose import normalised

_SEPARATOR = "\x1f"  # never part of normalised text or of an address
_OF_CLAIM, _OF_BASIS = 40, 24  # characters of a fingerprint
_THROTTLED = frozenset({429, 503})
_PASSING = frozenset({ModelFailure.OUT_OF_BUDGET, ModelFailure.OUT_OF_REACH})
# Trying again would change nothing: it has no usable address, or is not in English.
_FOR_GOOD = frozenset(
    {
        SourceOutcome.OFFLINE,
        SourceOutcome.FORBIDDEN_ADDRESS,
        SourceOutcome.FOREIGN_LANGUAGE,
    }
)


class Outcome(Protocol):
    """The outcome of fetching a source, as far as it affects how long a result holds."""

    @property
    def outcome(self) -> SourceOutcome:
        """Whether it was read."""
        ...

    @property
    def http_status(self) -> int | None:
        """What its server answered."""
        ...


class LastCheck(Protocol):
    """The last check of a claim, as far as it affects how long its result holds."""

    @property
    def fingerprint(self) -> str | None:
        """What the result depends on (`fingerprint_of`); `None` if not known."""
        ...

    @property
    def checked_at(self) -> datetime:
        """When it was checked, with the time zone."""
        ...

    @property
    def verdict(self) -> Verdict | None:
        """The verdict, `None` where the claim could not be checked."""
        ...

    @property
    def fetches(self) -> Sequence[Outcome]:
        """What came of each source."""
        ...


@dataclass(frozen=True, slots=True)
class Ageing:
    """How long a result holds.

    A result that an unread source could change holds for `unread_days`, and not at all
    if the source was unreadable for a passing reason. If the engine, the question or a
    threshold has changed since a claim was checked, it is due again, but only
    `renewed_at_once` such claims of a page at a time: first those that editors have
    tagged, then those checked longest ago.
    """

    settled_days: float = 30.0
    unread_days: float = 3.0
    renewed_at_once: int = 20

    def holds(self, last_check: LastCheck, now: datetime) -> bool:
        """Return whether the result of `last_check` still holds."""
        age = now - last_check.checked_at
        unread = [one for one in last_check.fetches if _may_be_read_later(one)]
        if last_check.verdict is Verdict.SUPPORTED or not unread:
            return age < timedelta(days=self.settled_days)
        if any(map(_is_passing, unread)):
            return False
        return age < timedelta(days=min(self.unread_days, self.settled_days))


def _may_be_read_later(one: Outcome) -> bool:
    return one.outcome is not SourceOutcome.READ and one.outcome not in _FOR_GOOD


def _is_passing(one: Outcome) -> bool:
    return one.outcome is SourceOutcome.UNREACHABLE or one.http_status in _THROTTLED


@dataclass(frozen=True, slots=True)
class Unchanged:
    """A claim whose result still holds, with the number of its last check."""

    claim: Claim
    last_check: int
    fingerprint: str


@dataclass(frozen=True, slots=True)
class Divided:
    """The claims of a page, each either due for a check or unchanged."""

    due: tuple[Claim, ...]
    unchanged: tuple[Unchanged, ...]


def divide(
    claims: Iterable[Claim],
    last_checks: Sequence[LastCheck],
    basis: str,
    ageing: Ageing,
    now: datetime,
) -> Divided:
    """Separate the claims that are due from those whose result still holds.

    Of identical claims, either all are unchanged or all are due. They are unchanged, in
    the order of their last checks, if there are as many as before.
    """
    known = _holding(last_checks, ageing, now)
    named = [(claim, fingerprint_of(claim, basis)) for claim in claims]
    same = _matched(known, [name for _, name in named])
    # Checks of the same claim, but with another engine, question or threshold.
    by_claim: dict[str, list[int]] = defaultdict(list)
    for name, numbers in known.items():
        by_claim[name[:_OF_CLAIM]] += numbers
    other = _matched(by_claim, [name[:_OF_CLAIM] for _, name in named])
    stale = [at for at in other if at not in same]
    stale.sort(
        key=lambda at: (not goes_first(named[at][0]), last_checks[other[at]].checked_at)
    )
    waiting = frozenset(stale[ageing.renewed_at_once :])
    due: list[Claim] = []
    unchanged: list[Unchanged] = []
    for at, (claim, name) in enumerate(named):
        if at in same:
            unchanged.append(Unchanged(claim, same[at], name))
        elif at in waiting:
            stored = last_checks[other[at]].fingerprint or name
            unchanged.append(Unchanged(claim, other[at], stored))
        else:
            due.append(claim)
    return Divided(tuple(due), tuple(unchanged))


def _matched(
    known: Mapping[str, Sequence[int]], names: Sequence[str]
) -> dict[int, int]:
    """Return last checks by the place of their name, if equally many."""
    counts, taken = Counter(names), Counter[str]()
    found: dict[int, int] = {}
    for at, name in enumerate(names):
        numbers = known.get(name, ())
        if len(numbers) == counts[name]:
            found[at] = numbers[taken[name]]
            taken[name] += 1
    return found


def _holding(
    last_checks: Sequence[LastCheck], ageing: Ageing, now: datetime
) -> dict[str, list[int]]:
    """Return last checks by fingerprint, if all with that fingerprint still hold."""
    known: dict[str, list[int]] = defaultdict(list)
    for number, last_check in enumerate(last_checks):
        if last_check.fingerprint is not None:
            known[last_check.fingerprint].append(number)
    return {
        name: numbers
        for name, numbers in known.items()
        if all(ageing.holds(last_checks[number], now) for number in numbers)
    }


def basis_of(
    engines: Iterable[Engine | None],
    points: Iterable[OperatingPoint],
    means: Iterable[str],
) -> str:
    """Return what all results of a page depend on, as one string.

    Args:
        engines: what judges: the verifier and, if there is one, the language model.
        points: the thresholds from which claims are flagged.
        means: names of other tools that are used, such as a search.
    """
    judges = [f"{one.name} {one.version}" if one else "" for one in engines]
    limits = [f"{one.kind.name} {one.threshold}" for one in points]
    return _SEPARATOR.join((*judges, *limits, *means))


def fingerprinted(check: ClaimCheck, basis: str) -> ClaimCheck:
    """Return `check` with the fingerprint of what its result depends on.

    If a language model or a search was temporarily unavailable, it gets none: the claim
    is checked again the next time its page is.
    """
    is_incomplete = check.opinion is not None and check.opinion.failure in _PASSING
    is_incomplete |= check.better is not None and bool(check.better.troubles)
    name = None if is_incomplete else fingerprint_of(check.claim, basis)
    return replace(check, fingerprint=name)


def fingerprint_of(claim: Claim, basis: str) -> str:
    """Return the hash of all that the result of `claim` depends on, in two parts.

    The first is of the claim and what it cites, the second of the `basis`.

    Of a source, only what decides which text is read counts: adding an archive link is
    a change, rewording its title is not.
    """
    pages = [citation.pages or "" for citation in claim.citations]
    tags = sorted(tag.kind.name for tag in claim.tags)
    parts = (
        claim.kind.name,
        *(normalised(text or "") for text in (claim.text, claim.row, claim.column)),
        *(part for source in claim.sources for part in _cited(source)),
        *pages,
        *tags,
        *(piece.what for piece in claim.missing),
    )
    return _hash(_SEPARATOR.join(parts))[:_OF_CLAIM] + _hash(basis)[:_OF_BASIS]


def _hash(text: str) -> str:
    return sha256(text.encode("utf-8", "replace")).hexdigest()


def _cited(source: Source) -> tuple[str, ...]:
    values = (
        source.key,
        source.archive_url,
        source.archive_date,
        source.access_date,
        source.url_status and source.url_status.name,
        source.pages,
        source.quote,
        source.language,
    )
    return tuple(str(value or "") for value in values)
