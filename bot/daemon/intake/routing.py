"""What has to be planned anew because of a change, beside the looks at pages.

    a report page, by anybody but us                    the report of its place
    the talk page of a page whose notes stand there     the notes on that page
    a page with an opt-in template that is in force     that opt-in
    another user or talk page, by a person              the list of opt-ins, once
    the community's page, or a stop page of ours        the list of opt-ins, once

A bot that archives talk pages puts no new template anywhere, so its edits of pages
without one are passed over. What is missed by these rules (a page moved out of
another namespace, an edit of a template that calls ours), the refresh of all
opt-ins by the schedule finds. Our own edits ask for nothing, so that no answer of
ours is ever answered.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.daemon.intake.standing import Standing
from bot.records.changes import Change, ChangeKind, UserKind
from bot.records.watches import PlanKind, Wish
from bot.wiki.titles import USER

_TOLD = frozenset(
    {
        ChangeKind.EDIT,
        ChangeKind.NEW,
        ChangeKind.MOVE,
        ChangeKind.DELETE,
        ChangeKind.RESTORE,
        ChangeKind.VISIBILITY,
    }
)
_BRINGS_TEXT = _TOLD - {ChangeKind.DELETE, ChangeKind.VISIBILITY}
_SEES_LINKS_S = 5.0  # until a wiki's list of the pages with a template knows an edit


@dataclass(frozen=True, slots=True)
class RouteRules:
    """What to look out for, and how soon it is planned.

    A template on a new page is found by listing all pages that have it, which is done
    at most every `list_every_s`, however many pages people edit.
    """

    wikis: frozenset[str]  # host names
    bot: str  # name of the account
    community_page: str  # its title
    answer_in_s: float = 5.0
    list_in_s: float = 15.0
    list_every_s: float = 60.0


@dataclass(slots=True)
class _Listing:
    """When the opt-ins of a wiki are listed, and since when they have to be again."""

    due_at: datetime | None = None
    not_before: datetime | None = None  # a list of before that time may lack an edit


class Router:
    """Turns changes into wishes; one for each feed, for it remembers what it asked."""

    def __init__(self, rules: RouteRules) -> None:
        self._rules = rules
        self._listings: dict[str, _Listing] = {}

    def wishes(
        self, changes: Iterable[Change], standing: Standing, now: datetime
    ) -> tuple[Wish, ...]:
        """Return what is to be planned, each once.

        Also to be asked for a batch without changes: a list that was owed may be due.

        Args:
            changes: of one batch.
            standing: the watches, read after the changes came in.
            now: when they came in; the same if the batch has to be kept again.
        """
        found: dict[tuple[PlanKind, str, str], Wish] = {}
        for change in changes:
            if self._concerns(change):
                for kind, subject in self._subjects(change, standing):
                    wish = self._soon(kind, change.wiki, subject, now)
                    found.setdefault((kind, change.wiki, subject), wish)
                if self._may_be_new(change, standing):
                    self._owe(change.wiki, now)
        return (*found.values(), *self._lists(now))

    def _concerns(self, change: Change) -> bool:
        is_known = change.wiki in self._rules.wikis and change.kind in _TOLD
        return is_known and change.user is not UserKind.OURS

    def _subjects(
        self, change: Change, standing: Standing
    ) -> Iterator[tuple[PlanKind, str]]:
        """Yield what a change concerns of all that stands."""
        for title in _titles(change):
            page = (change.wiki, title)
            if page in standing.places:
                yield PlanKind.OPT_INS, title
            for place in standing.reports.get(page, ()):
                yield PlanKind.REPORT, place
            _, _, name = title.partition(":")
            if _is_talk(change.namespace) and name:
                for article in standing.talked.get((change.wiki, name), ()):
                    yield PlanKind.TALK, article

    def _may_be_new(self, change: Change, standing: Standing) -> bool:
        """Tell whether the opt-ins of the wiki have to be listed."""
        if self._decides(change):
            return True
        if change.kind not in _BRINGS_TEXT or change.user is UserKind.BOT:
            return False
        newest = (change.wiki, change.moved_to or change.title)
        is_place = change.namespace == USER or _is_talk(change.namespace)
        return is_place and newest not in standing.places

    def _decides(self, change: Change) -> bool:
        """Tell whether it is a page by which people rule what is done on the wiki.

        Titles are compared without their namespaces, which each wiki calls otherwise;
        for another page of that name the list is read once too often.
        """
        _, _, community = self._rules.community_page.partition(":")
        runs = f"{self._rules.bot}/Run/"
        for title in _titles(change):
            _, _, name = title.partition(":")
            if name == (community or self._rules.community_page):
                return True
            if change.namespace == USER and name.startswith(runs):
                return True
        return False

    def _soon(self, kind: PlanKind, wiki: str, subject: str, now: datetime) -> Wish:
        due = now + timedelta(seconds=self._rules.answer_in_s)
        return Wish(kind, wiki, subject, due)

    def _owe(self, wiki: str, now: datetime) -> None:
        listing = self._listings.setdefault(wiki, _Listing())
        listing.not_before = now + timedelta(seconds=_SEES_LINKS_S)
        if listing.due_at is None:
            listing.due_at = now + timedelta(seconds=self._rules.list_in_s)

    def _lists(self, now: datetime) -> Iterator[Wish]:
        """Yield the lists that wait; each batch asks again, for one may not be kept."""
        for wiki, listing in self._listings.items():
            due, owed = listing.due_at, listing.not_before
            if due is not None and owed is not None and due <= now and due < owed:
                again = due + timedelta(seconds=self._rules.list_every_s)
                soon = now + timedelta(seconds=self._rules.list_in_s)
                listing.due_at = due = max(again, soon)
            if due is not None and due > now:
                yield Wish(PlanKind.OPT_INS, wiki, "", due)


def _titles(change: Change) -> tuple[str, ...]:
    return (change.title, change.moved_to) if change.moved_to else (change.title,)


def _is_talk(namespace: int) -> bool:
    return namespace > 0 and namespace % 2 == 1
