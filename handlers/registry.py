"""The kinds of findings: what each is, who finds it, and where it is on a page now.

Code that checks a page calls `found_by`, and code that shows what was found calls
`stands`; so a kind with an entry here is looked for and shown. `docs/add-a-kind.md`
explains how to add one. Pure.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from types import MappingProxyType
from typing import TypeAlias

from handlers.citations import unsure
from handlers.citations.suggestions import suggestions_of as of_citations
from handlers.citations.tags import EXAMPLE as TAGGED
from handlers.citations.tags import TagFinding
from handlers.edits import finding as edits
from handlers.edits.alignment import Side
from handlers.findings import (
    CitationFinding,
    CurrentPlace,
    Finding,
    SourceFinding,
    Suggestion,
    UpdateFinding,
    WritingFinding,
)
from handlers.model import (
    Backing,
    ClaimCheck,
    Comparison,
    IssueKind,
    Page,
    Span,
    Statement,
    UpdateKind,
    Verdict,
)
from handlers.page.statements import CurrentStatements
from handlers.review import copied
from handlers.review.suggestions import ReviewedPage, writing_suggestions
from handlers.updates import aged
from handlers.updates import suggestions as updates
from handlers.updates.subject import statements_of

Settings: TypeAlias = Mapping[str, int | tuple[str, ...]]
"""What a wiki's community sets for one kind, by name."""


@dataclass(frozen=True)
class PageNow:
    """A revision of a page, in which findings are looked up."""

    page: Page

    @cached_property
    def statements(self) -> tuple[Statement, ...]:
        """All that it says, whether or not a citation supports it."""
        return statements_of(self.page)

    @cached_property
    def current_statements(self) -> CurrentStatements:
        """Where findings about a statement are looked up."""
        return CurrentStatements(self.page, self.statements)

    @cached_property
    def side(self) -> Side:
        """Where findings about an edit are looked up."""
        return Side(self.page)

    @cached_property
    def wording(self) -> ReviewedPage:
        """Where findings about its words are looked up."""
        return ReviewedPage(self.page, self.statements)


@dataclass(frozen=True, slots=True)
class Checked:
    """A page whose citations were checked, as a handler gets it.

    `settings` are those that the community changed, by kind; `open` are the open
    suggestions of the page, and `closed` returns those of the given identities that
    people have decided on. `comparison` is with the revision checked before, if there
    was one.
    """

    now: PageNow
    checks: tuple[ClaimCheck, ...]
    today: date
    settings: Mapping[str, Settings] = field(default_factory=dict)
    open: tuple[Suggestion, ...] = ()
    closed: Callable[[Sequence[str]], frozenset[str]] = lambda _names: frozenset()
    comparison: Comparison | None = None


Handler: TypeAlias = Callable[[Checked, Settings], tuple[Suggestion, ...]]
"""Finds what is of one kind, with the settings in force."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of finding.

    `find` returns the findings of this kind on a checked page, and is `None` if they
    are found elsewhere. `stands` returns where a suggestion of this kind is on a page
    now, or `None` if it is settled; for the kinds in `OF_CITATIONS`, the citation's own
    claim shows that. `settings` are what a community may set, with the defaults.
    `example` is one by which tests see that nothing is missing.
    """

    finding: type[Finding]
    find: Handler | None
    stands: Callable[[Suggestion, PageNow], CurrentPlace | None] | None
    example: Finding
    settings: Settings = field(default_factory=dict)


def _citations(checked: Checked, _settings: Settings) -> tuple[Suggestion, ...]:
    return of_citations(checked.now.page, checked.checks)


def _changed(checked: Checked, _settings: Settings) -> tuple[Suggestion, ...]:
    return edits.changed_claims(
        checked.now.side, checked.comparison, checked.open, checked.checks
    )


def _writing(checked: Checked, _settings: Settings) -> tuple[Suggestion, ...]:
    return writing_suggestions(
        checked.now.page, checked.open, checked.closed, checked.today
    )


def _copied(checked: Checked, _settings: Settings) -> tuple[Suggestion, ...]:
    now = checked.now
    return copied.copied_sentences(now.page, now.wording, checked.checks, checked.open)


def _unsure(checked: Checked, _settings: Settings) -> tuple[Suggestion, ...]:
    return unsure.unsure_claims(checked.now.page, checked.checks, checked.open)


def _aged(checked: Checked, settings: Settings) -> tuple[Suggestion, ...]:
    now = checked.now
    return aged.aged_statements(now.page, now.statements, checked.today, settings)


_CITATION = CitationFinding(
    Verdict.CONTRADICTED, (Span(7, 9),), ("Ada Penrose",), chars=12_000
)
_UPDATE = UpdateFinding(
    UpdateKind.OUTDATED,
    "It has 27 rooms.",
    ("Rooms",),
    Backing.HIGH,
    "It has 22 rooms.",
)
_WRITING = WritingFinding(
    IssueKind.PUFFERY,
    "“Iconic” praises the subject.",
    "Say what was done, or attribute the praise to a source.",
    "MOS:PUFFERY",
)

KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        one.finding.kind: one
        for one in (
            Kind(CitationFinding, _citations, None, _CITATION),
            Kind(SourceFinding, None, None, SourceFinding()),  # found with citations
            Kind(TagFinding, None, None, TAGGED),  # this one too
            Kind(
                edits.ChangedFinding,
                _changed,
                lambda found, now: edits.stands(found, now.side),
                edits.EXAMPLE,
            ),
            Kind(
                UpdateFinding,
                None,
                lambda found, now: updates.stands(found, now.current_statements),
                _UPDATE,
            ),
            Kind(
                aged.AgedFinding,
                _aged,
                lambda found, now: aged.stands(found, now.current_statements),
                aged.EXAMPLE,
                aged.SETTINGS,
            ),
            Kind(
                WritingFinding,
                _writing,
                lambda found, now: now.wording.find(found),
                _WRITING,
            ),
            Kind(
                copied.CopiedFinding,
                _copied,
                lambda found, now: now.wording.place_of(found),
                copied.EXAMPLE,
            ),
            Kind(
                unsure.UnsureFinding,
                _unsure,
                lambda found, now: unsure.stands(found, now.page.claims),
                unsure.EXAMPLE,
            ),
        )
    }
)
"""All kinds, by name."""

OF_CITATIONS = frozenset({CitationFinding.kind, SourceFinding.kind, TagFinding.kind})
"""The kinds that claims and their citations are flagged for."""

OF_CLAIMS = OF_CITATIONS | {unsure.UnsureFinding.kind}
"""Those, and what people have to compare: a claim that is no note is one of these."""


def found_by(kind: str, checked: Checked) -> tuple[Suggestion, ...]:
    """Return the findings of a kind on a checked page."""
    one = KINDS[kind]
    if one.find is None:
        return ()
    return one.find(checked, {**one.settings, **checked.settings.get(kind, {})})


def told_once(
    of_claims: Sequence[Suggestion], changed: Sequence[Suggestion]
) -> tuple[Suggestion, ...]:
    """Return the suggestions about claims without those that an edit explains.

    A sentence gets one note; what it said before the edit is the better help.
    """
    told = {(one.claim, one.details.cell) for one in changed if one.flag}
    return tuple(one for one in of_claims if (one.claim, one.details.cell) not in told)


def requested_kinds(checks: Collection[str]) -> tuple[str, ...]:
    """Return the kinds, besides citations, that a checked page is searched for.

    What is shown unasked is looked for on every page, as its citations are.

    Args:
        checks: what the page's watchers ask for, in the words of their opt-in.
    """
    return tuple(
        name
        for name, kind in KINDS.items()
        if name not in OF_CITATIONS
        and kind.find
        and (kind.finding.is_shown_unasked or kind.finding.asked_as in checks)
    )


def kinds_of_pages() -> frozenset[str]:
    """Return the kinds, besides citations, that can be found on a checked page."""
    return frozenset(
        name for name, one in KINDS.items() if one.find and name not in OF_CITATIONS
    )


def stands(found: Suggestion, now: PageNow) -> CurrentPlace | None:
    """Return where a suggestion that is not about a citation is now.

    `None` if it is settled, or is about a citation.
    """
    stands = KINDS[found.finding.kind].stands
    return stands(found, now) if stands else None
