"""What a report is to say, of what is chosen for it, and when that is due. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from bot.opt_in.community import Community
from bot.planning.choosing import Candidate, Room, in_order, with_room
from bot.planning.looking import Look
from bot.surfaces.note import Note
from bot.surfaces.report_page import MOST_NOTES
from bot.watches import StandingWatch, ToldNote, ToldState

_EVER = datetime.min.replace(tzinfo=UTC)
_DAY_S = 86_400.0
_WEEK_S = 7 * _DAY_S


@dataclass(frozen=True, slots=True)
class Report:
    """A report page, for whom it is, and what stands there.

    `own` is its block as our last post left it, `told` the notes that were shown, and
    `there` the short identities of those that stand there now.
    """

    title: str
    watches: tuple[StandingWatch, ...]
    community: Community
    look: Look
    own: str | None
    told: tuple[ToldNote, ...]
    there: frozenset[str]

    @property
    def open(self) -> frozenset[str]:
        """Return the identities of the notes that stand there."""
        return frozenset(
            each.identity for each in self.told if each.state is ToldState.OPEN
        )

    @property
    def dismissed(self) -> frozenset[str]:
        """Return the identities of the notes that people do not want here."""
        return frozenset(
            each.identity for each in self.told if each.state is ToldState.DISMISSED
        )

    @property
    def overdue(self) -> frozenset[str]:
        """Return those of them that stand here still: readers dismissed them elsewhere."""
        return frozenset(name for name in self.dismissed if name[:24] in self.there)


@dataclass(frozen=True, slots=True)
class Content:
    """What a report is to say: notes in their order, and how many have to wait."""

    notes: tuple[Note, ...]
    added: tuple[str, ...]
    closed: tuple[str, ...]
    waiting: int


def content_of(report: Report, chosen: Sequence[Candidate], room: Room) -> Content:
    """Return what a report is to say, of the notes that there may be."""
    told = [each for each in chosen if each.note.identity in report.open]
    new = [each for each in chosen if each.note.identity not in report.open]
    given = with_room(new, room)[: max(0, MOST_NOTES - len(told))]
    shown = {each.note.identity for each in told}
    return Content(
        notes=tuple(in_order([*told, *given], articles(report.watches))),
        added=tuple(each.note.identity for each in given),
        closed=tuple(sorted((report.open - shown) | report.overdue)),
        waiting=len(new) - len(given),
    )


def new_notes_due(report: Report) -> datetime:
    """Return from when the report may be rewritten for new notes alone."""
    last = report.look.past.shown
    asked_s = min(each.interval_s for each in report.watches)
    if last is None or asked_s < _DAY_S:
        return _EVER
    return last.changed_at + timedelta(seconds=min(asked_s, _WEEK_S))


def without_new(wanted: Content) -> Content:
    """Return the same but for what is new."""
    new = frozenset(wanted.added)
    return Content(
        notes=tuple(each for each in wanted.notes if each.identity not in new),
        added=(),
        closed=wanted.closed,
        waiting=wanted.waiting + len(new),
    )


def articles(watches: Iterable[StandingWatch]) -> list[str]:
    """Return the titles that several watches name, each once."""
    return list(dict.fromkeys(title for watch in watches for title in watch.pages))
