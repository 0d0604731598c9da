"""Which suggestions become notes: for whom, how certain, and how many. Pure.

A note is new until people were shown it on that page. Only new notes count against
limits, and only they have to be certain enough: a note that is there stays until its
sentence is changed, so that small changes of a probability do not make notes flicker.
Readers of the panel have two effects: what two of them refused is shown to nobody, and
kinds that they find wrong too often make no new notes.

Newer facts about living people and contentious topics make no notes at all: a page in
someone's user space is as public as a talk page. They are shown in the panel, to those
who are signed in.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from bot.records.posts import StoredPost
from bot.records.watches import ActiveWatch, Check, ShownNote
from bot.report.notes import Note, note_of
from bot.report.notes import in_order as notes_in_order
from bot.store import StoredSuggestion
from bot.surfaces.feedback import Feedback
from bot.surfaces.opt_in.community import Community
from bot.surfaces.opt_in.scope import is_ignored
from bot.surfaces.planning.filtered import left_out_until
from bot.surfaces.planning.posts import PlanningTools
from handlers.findings import CitationFinding, RemedyKind, SourceFinding, Suggestion
from handlers.registry import OF_CITATIONS

_CHECK_OF = {
    RemedyKind.ARCHIVED_COPY: Check.DRIFT,
    RemedyKind.OTHER_SOURCE: Check.BETTER_SOURCES,
}


@dataclass(frozen=True, slots=True)
class ReaderDecisions:
    """What readers decided: `closed` are identities that are shown to nobody."""

    closed: frozenset[str] = frozenset()
    feedback: Feedback = field(default_factory=Feedback)

    def allows(self, found: Suggestion, *, is_shown: bool) -> bool:
        """Return whether a suggestion may become a note, or stay one."""
        if found.identity in self.closed:
            return False
        if is_shown or found.flag is None:
            return True
        return self.feedback.allows(found.flag, found.engine, found.page.wiki)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A note that may be shown.

    `is_late` says that a change caused it, after the article was first checked.
    """

    note: Note
    is_late: bool = False


def candidate(
    found: Suggestion,
    watch: ActiveWatch,
    community: Community,
    *,
    is_shown: bool = False,
) -> Candidate | None:
    """Return a watcher's note for a suggestion; `None` if it makes none.

    Args:
        found: the suggestion, still open.
        watch: what the watcher asked for.
        community: what their wiki decided.
        is_shown: whether the note is there already.
    """
    if is_ignored(found.section, community):
        return None
    if not _is_sure(found, watch, community, is_shown=is_shown):
        return None
    facts = found.finding.facts
    if facts.is_sensitive:
        return None
    remedies = [each for each in found.remedies if _CHECK_OF[each.kind] in watch.checks]
    requested = {check.value for check in watch.checks}
    is_mendable = found.kind == CitationFinding.kind and bool(remedies)
    if found.finding.asked_as not in requested and not is_mendable:
        return None
    if found.kind == SourceFinding.kind:
        return None
    citation = next((each.citation for each in remedies if each.citation), None)
    note = note_of(found, citation=citation, own_tags=community.tags)
    return Candidate(note)


def _is_sure(
    found: Suggestion, watch: ActiveWatch, community: Community, *, is_shown: bool
) -> bool:
    flag = found.flag
    if flag is None:
        return is_shown
    least = max(community.thresholds.get(flag.kind, 0.0), watch.min_confidence or 0.0)
    return flag.probability >= least


def candidates(
    stored: Iterable[StoredSuggestion],
    watches: Iterable[ActiveWatch],
    community: Community,
    shown: frozenset[str],
    decided: ReaderDecisions | None = None,
) -> list[Candidate]:
    """Return the notes that open suggestions make for any of several watches.

    Args:
        stored: open suggestions, of one article or of several.
        watches: the watches that the surface is for.
        community: what their wiki decided.
        shown: identities of the notes that are there.
        decided: what readers decided; nothing if `None`.
    """
    decided = decided or ReaderDecisions()
    watched = [(watch, frozenset(watch.pages)) for watch in watches]
    known = tuple(stored)
    begun = _first_checks(known)
    found = []
    for each in known:
        one = each.suggestion
        is_shown = one.identity in shown
        if not decided.allows(one, is_shown=is_shown):
            continue
        offers = (
            candidate(one, watch, community, is_shown=is_shown)
            for watch, pages in watched
            if one.page.title in pages
        )
        first = next((offer for offer in offers if offer), None)
        if first:
            is_late = each.first_seen > begun[_sort(one)]
            found.append(replace(first, is_late=is_late))
    return found


def _first_checks(
    stored: Iterable[StoredSuggestion],
) -> dict[tuple[str, str], datetime]:
    """Return when the oldest suggestion of each article and kind was found."""
    begun: dict[tuple[str, str], datetime] = {}
    for each in stored:
        sort = _sort(each.suggestion)
        begun[sort] = min(each.first_seen, begun.get(sort, each.first_seen))
    return begun


def _sort(found: Suggestion) -> tuple[str, str]:
    """Return the article and the kind of check: each kind first ran at its own time."""
    kind = CitationFinding.kind if found.kind in OF_CITATIONS else found.kind
    return found.page.title, kind


@dataclass(frozen=True, slots=True)
class Room:
    """How many new notes there may be now.

    `shown` counts, by article, those of the last day on this page; `per_article` is the
    limit for one article, `None` for no separate limit. The last `reserved` places are
    for what changes cause: otherwise the old faults of articles, of which there are
    always more, would keep them out for days.
    """

    in_all: int
    per_article: int | None
    reserved: int = 0
    shown: Mapping[str, int] = field(default_factory=dict)


def with_room(new: Iterable[Candidate], room: Room) -> list[Candidate]:
    """Return the new notes for which there is room, the most urgent first."""
    used = Counter(room.shown)
    chosen: list[Candidate] = []
    for each in sorted(new, key=_urgency):
        title = each.note.page.title
        left = room.in_all - len(chosen) - (0 if each.is_late else room.reserved)
        is_full = room.per_article is not None and used[title] >= room.per_article
        if left > 0 and not is_full:
            used[title] += 1
            chosen.append(each)
    return chosen


def without_left_out(
    new: Iterable[Candidate], refused: Iterable[StoredPost], now: datetime
) -> tuple[list[Candidate], datetime | None]:
    """Return the new notes that no filter refused, and when one that it did is tried."""
    until = left_out_until(refused)
    kept, left_out = [], []
    for each in new:
        at = until.get(each.note.identity, now)
        if at <= now:
            kept.append(each)
        else:
            left_out.append(at)
    return kept, min(left_out, default=None)


def _urgency(each: Candidate) -> tuple[bool, tuple[int, float, int, str]]:
    return not each.is_late, each.note.order


def in_order(chosen: Iterable[Candidate]) -> list[Note]:
    """Return notes by article, contradictions first, then the most certain.

    The article with the most urgent note comes first.
    """
    by_article: dict[str, list[Note]] = {}
    for note in notes_in_order(each.note for each in chosen):
        by_article.setdefault(note.page.title, []).append(note)
    return [note for notes in by_article.values() for note in notes]


_DAY = timedelta(days=1)
_FOR_CHANGES = 0.4  # share of a watcher's notes; the others may be about older faults


def room_for(
    tools: PlanningTools,
    watches: Sequence[ActiveWatch],
    community: Community,
    shown: Iterable[ShownNote],
    *,
    is_own: bool,
) -> Room:
    """Return how many new notes a page may get now.

    Args:
        tools: the store and the time.
        watches: for whom they are, all of one wiki, at least one.
        community: what their wiki decided.
        shown: the notes of that page.
        is_own: whether the page is the watcher's own: there, nobody else limits how
            many notes one article may have.
    """
    now, limits = tools.now(), community.limits
    on_wiki = tools.store.shown_notes.shown_since(watches[0].wiki, since=now - _DAY)
    left = max(_left(tools, watch, now) for watch in watches)
    wanted = max(watch.most.count for watch in watches)
    return Room(
        in_all=max(0, min(limits.notes_per_wiki - on_wiki, left)),
        per_article=None if is_own else limits.notes_per_page,
        reserved=int(_FOR_CHANGES * min(limits.notes_per_wiki, wanted)),
        shown=Counter(each.article for each in shown if each.shown_at > now - _DAY),
    )


def _left(tools: PlanningTools, watch: ActiveWatch, now: datetime) -> int:
    since = now - timedelta(days=watch.most.per.value)
    shown = tools.store.shown_notes.shown_since(
        watch.wiki, watcher=watch.watcher, since=since
    )
    return watch.most.count - shown
