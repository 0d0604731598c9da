"""What a watcher gets: what they asked for, within the limits of their wiki.

Nothing is cut silently: each limit that applied is a value with its reason. Pure.
"""

from collections.abc import Collection
from dataclasses import dataclass, field
from decimal import Decimal

from bot.records.watches import Check, NoteKind, Rate, Surface, WatcherKind
from bot.surfaces.messages import message
from bot.surfaces.opt_in.community import Community
from bot.surfaces.opt_in.refusal import kind_of_check, refused
from bot.surfaces.opt_in.values import draft_page, spoken_interval, spoken_rate
from bot.surfaces.opt_in.watch import PageList, Watch
from bot.wiki.pages import PROJECT_TALK, Namespaces, Title
from handlers.model import Message
from handlers.registry import KINDS

REPORT_PAGE = "Sidenote report"

_NOT_ON_TALK_PAGES = {Check(kind.finding.asked_as) for kind in KINDS.values()} - {
    Check(kind.finding.asked_as)
    for kind in KINDS.values()
    if kind.finding.is_for_talk_pages
}


@dataclass(frozen=True, slots=True)
class Limited:
    """Something that was asked for but is not given, and why.

    What was requested and given is the same in every language unless it is a message.
    """

    parameter: str
    requested: Message | str
    given: Message | str
    reasons: tuple[Message, ...]

    def __str__(self) -> str:
        why = "; ".join(map(str, self.reasons))
        return f"{self.parameter} = {self.requested}: {why}; now {self.given}"


@dataclass(frozen=True, slots=True)
class RequestedDraft:
    """A draft that is given, the page that it goes to, and what became of it.

    `reason` says why there is none (yet); `None` if the page is there.
    """

    topic: Title
    page: Title
    reason: Message | None = None


@dataclass(frozen=True, slots=True)
class CountedList:
    """A list of pages that was looked up, and how many it has.

    `has_more` if counting stopped there.
    """

    parameter: str
    name: str
    count: int
    has_more: bool = False


@dataclass(frozen=True, slots=True)
class Round:
    """Roughly what it takes to check all pages of an opt-in once.

    `money` is for a language model, in the currency of its prices.
    """

    pages: int
    takes_s: float
    money: Decimal = Decimal(0)


@dataclass(frozen=True, slots=True)
class Effective:
    """What is done for a watcher. `report` is the page it is written to, if any.

    `counted` are the lists that were looked up, and `round` is what checking their
    pages takes; `None` if only single pages are named.
    """

    watch: Watch
    pages: tuple[Title, ...]
    categories: tuple[Title, ...]
    checks: tuple[Check, ...]
    surfaces: tuple[Surface, ...]
    report: Title | None
    interval_s: int
    most: Rate
    min_confidence: float | None
    languages: tuple[str, ...]
    limited: tuple[Limited, ...]
    drafts: tuple[RequestedDraft, ...] = ()
    refuses: tuple[NoteKind, ...] = ()
    lists: tuple[PageList, ...] = ()
    counted: tuple[CountedList, ...] = ()
    round: Round | None = None

    @property
    def watches_pages(self) -> bool:
        """Whether it has pages to check, checks to make and surfaces for notes."""
        subjects = self.pages or self.categories or self.lists
        return bool(subjects and self.checks and self.surfaces)

    @property
    def is_active(self) -> bool:
        """Whether anything is done for the watcher."""
        return self.watches_pages or bool(self.drafts)


def effective(
    watch: Watch,
    community: Community,
    namespaces: Namespaces,
    of_person: Collection[NoteKind] = (),
) -> Effective:
    """Return what `watch` amounts to on a wiki with this configuration.

    Args:
        watch: as it was understood.
        community: what the wiki decided.
        namespaces: of the wiki.
        of_person: what the watcher refuses on pages of their own.
    """
    person = watch.watcher if watch.kind is WatcherKind.USER else ""
    not_wanted = refused(community, person=person, of_person=of_person)
    limits = _Limits(watch, community, not_wanted)
    surfaces = limits.surfaces()
    return Effective(
        watch=watch,
        pages=limits.pages(),
        categories=limits.categories(),
        checks=limits.checks(),
        surfaces=surfaces,
        report=_report(watch, namespaces) if Surface.REPORT in surfaces else None,
        interval_s=limits.interval_s(),
        most=limits.most(),
        min_confidence=watch.min_confidence or community.defaults.min_confidence,
        languages=watch.languages,
        drafts=limits.drafts(namespaces),
        lists=watch.lists,
        limited=tuple(limits.found),
        refuses=tuple(kind for kind in NoteKind if kind in of_person),
    )


@dataclass(slots=True)
class _Limits:
    """Returns values one by one and collects what was limited."""

    watch: Watch
    community: Community
    refused: frozenset[NoteKind] = frozenset()
    found: list[Limited] = field(default_factory=list)

    def pages(self) -> tuple[Title, ...]:
        allowed = self.community.namespaces
        inside = tuple(each for each in self.watch.pages if each.namespace in allowed)
        outside = len(self.watch.pages) - len(inside)
        if outside:
            requested = message("asked-pages", outside)
            given, reason = message("given-left-out"), message("reason-namespaces")
            self._note("pages", requested, given, reason)
        return self._first("pages", inside, self.community.limits.pages)

    def categories(self) -> tuple[Title, ...]:
        most = self.community.limits.categories
        return self._first("categories", self.watch.categories, most)

    def drafts(self, namespaces: Namespaces) -> tuple[RequestedDraft, ...]:
        named = self.watch.drafts
        is_refused = NoteKind.DRAFTS in self.refused
        if named and (is_refused or not self.community.drafts):
            why = "reason-refused" if is_refused else "reason-not-allowed"
            given, reason = message("given-none"), message(why)
            self._note("drafts", str(len(named)), given, reason)
            return ()
        some = self._first("drafts", named, self.community.limits.drafts)
        pages = {one: draft_page(one, self.watch.watcher, namespaces) for one in some}
        return tuple(RequestedDraft(one, page) for one, page in pages.items() if page)

    def checks(self) -> tuple[Check, ...]:
        requested = self.watch.checks
        given = requested or self.community.defaults.checks
        for each in requested:
            reason = self._why_unchecked(each)
            if reason:
                self._note("checks", each.value, message("given-without"), reason)
        return tuple(each for each in given if not self._why_unchecked(each))

    def _why_unchecked(self, check: Check) -> Message | None:
        """Return why something is not checked; nothing if it is.

        Suggestions on wording are only for single people who asked for them: on a talk
        page they would be a list of complaints to everyone who wrote the article, about
        matters where no source decides who is right.
        """
        if check not in self.community.checks:
            return message("reason-not-offered")
        if kind_of_check(check.value) in self.refused:
            return message("reason-refused")
        if check in _NOT_ON_TALK_PAGES and self.watch.kind is WatcherKind.PAGE:
            return message("reason-not-on-talk-pages")
        return None

    def surfaces(self) -> tuple[Surface, ...]:
        requested = self.watch.surfaces
        given = [each for each in requested or self._usual() if self._is_open(each)]
        refused = [each for each in requested if each not in given]
        if requested and not given:
            given = [each for each in self._usual() if self._is_open(each)]
        shown = ", ".join(each.value for each in given) or message("given-nothing")
        for each in refused:
            reason = self._why_closed(each)
            if reason:
                self._note("surface", each.value, shown, reason)
        return tuple(given)

    def interval_s(self) -> int:
        least, requested = self.community.limits.least_interval, self.watch.interval_s
        if requested is not None and requested < least:
            reason = message("reason-interval")
            given = spoken_interval(least)
            self._note("interval", spoken_interval(requested), given, reason)
        return max(
            self.community.defaults.interval if requested is None else requested, least
        )

    def most(self) -> Rate:
        limit, requested = self.community.limits.max, self.watch.most
        rate = requested or self.community.defaults.max
        if rate.per_day <= limit.per_day:
            return rate
        if requested:
            reason = message("reason-most-notes")
            self._note("max", spoken_rate(requested), spoken_rate(limit), reason)
        return limit

    def _usual(self) -> tuple[Surface, ...]:
        """Return what the wiki shows a watcher of this kind by default."""
        if self.watch.kind is WatcherKind.PAGE:
            return (Surface.TALK, Surface.GADGET)
        return tuple(
            each
            for each in self.community.defaults.surface
            if each is not Surface.TALK or self._may_use_talk()
        )

    def _is_open(self, surface: Surface) -> bool:
        return not self._why_closed(surface)

    def _why_closed(self, surface: Surface) -> Message | None:
        kind = self.watch.kind
        if surface not in self.community.surfaces:
            return message("reason-not-allowed")
        if surface is Surface.REPORT and kind is WatcherKind.PAGE:
            return message("reason-no-report")
        if surface is Surface.TALK and not self._may_use_talk():
            return message("reason-talk-page-asks")
        return None

    def _may_use_talk(self) -> bool:
        is_own_request = self.watch.kind is WatcherKind.PAGE
        return is_own_request or self.community.users_may_ask_for_talk

    def _first(
        self, name: str, titles: tuple[Title, ...], most: int
    ) -> tuple[Title, ...]:
        if len(titles) > most:
            given, reason = message("given-first", most), message("reason-most-named")
            self._note(name, str(len(titles)), given, reason)
        return titles[:most]

    def _note(
        self,
        parameter: str,
        requested: Message | str,
        given: Message | str,
        reason: Message,
    ) -> None:
        self.found.append(Limited(parameter, requested, given, (reason,)))


def _report(watch: Watch, namespaces: Namespaces) -> Title | None:
    if watch.report:
        return watch.report
    if watch.kind is WatcherKind.USER:
        user = watch.place.namespace - watch.place.namespace % 2
        return namespaces.of(user, f"{watch.watcher}/{REPORT_PAGE}")
    return namespaces.of(PROJECT_TALK, f"{watch.place.name}/{REPORT_PAGE}")
