"""Answers the panel: the cards of a page, counts, one card, a queue.

Everything comes from the store; nothing is checked here. A suggestion is shown if its
claim is in the revision that the reader sees, with the same words and sources: if the
text has changed, it is left out, and counted.
"""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256
from itertools import islice

from bot.records.accounts import Reader
from bot.report.notes import in_order, note_of
from bot.report.words import ADVICE, clean
from bot.store import Store, StoredCheck, StoredClaim, StoredFetch
from bot.store.checks import StoredLink
from bot.surfaces.feedback import Feedback
from bot.surfaces.opt_in.community import Community
from bot.surfaces.opt_in.scope import is_ignored
from gadget.cards.builder import CardBuilder, claim_shown, message_shown, searched
from gadget.cards.changes import lies_within
from gadget.cards.edits import Editor, is_marked_dead
from gadget.cards.repository import StoredPage, StoredPages
from gadget.cards.revisions import PageReader, Parsed, ParsedPages
from gadget.cards.selection import (
    Rank,
    Visibility,
    behind,
    claim_of,
    cursor,
    is_settled,
)
from gadget.cards.sources import Sources
from gadget.payloads.cards import (
    Card,
    ChangedLink,
    Edit,
    LastCheckAnswer,
    LinkShown,
    PageAnswer,
    Unchecked,
    WayShown,
)
from handlers.citations.quote_links import safe_href
from handlers.model import Claim, Source, SourceOutcome, Span, TagKind
from handlers.page.prose import normalised
from handlers.ports import PermanentError
from handlers.registry import OF_CITATIONS, stands
from handlers.sources.links import LinkState, accesses_to
from handlers.sources.reliability import ReliabilityLists
from handlers.sources.templates import WikiTags, tags_of, with_own

_MOST_LISTED = 200  # of the claims that could not be checked, and of the links
_TO_BE_MENDED = frozenset(
    {LinkState.GONE, LinkState.SOFT_404, LinkState.USURPED, LinkState.PAYWALLED}
)
_ROUNDS = 5  # through a queue for one part of it, when suggestions are out of date
_PAGES_AT_ONCE = 4


def unchecked_of(
    check: StoredCheck, parsed: Parsed, community: Community, shown: "Shown"
) -> list[Unchecked]:
    """Return the claims that could not be checked, in order, at most some 200."""
    found = sorted(
        _found(check, parsed, community), key=lambda each: each[0].span.start
    )
    return [shown.unchecked(*each) for each in found[:_MOST_LISTED]]


def _found(
    check: StoredCheck, parsed: Parsed, community: Community
) -> Iterator[tuple[Claim, StoredClaim, StoredFetch]]:
    given: set[Span] = set()
    for stored in check.claims:
        is_judged = stored.probabilities is not None and stored.advice is None
        if stored.verdict is not None or is_judged or not stored.fetches:
            continue  # it has a verdict, or people compare it with its source
        unread = (
            one for one in stored.fetches if one.outcome is not SourceOutcome.READ
        )
        claim = _claim(stored, parsed, given)
        if claim is not None and not is_ignored(claim.section, community):
            given.add(claim.span)
            yield claim, stored, next(unread, stored.fetches[0])


def _claim(stored: StoredClaim, parsed: Parsed, given: set[Span]) -> Claim | None:
    """Return the next unused claim with the same words and sources."""
    keys = {fetch.source_key for fetch in stored.fetches}
    same = [
        claim
        for claim in parsed.by_words.get(normalised(stored.text), ())
        if claim.span not in given and keys <= {one.key for one in claim.sources}
    ]
    return min(same, key=lambda claim: claim.section != stored.section, default=None)


class Shown:
    """Makes what is shown of claims that could not be checked, and of changed links."""

    def __init__(
        self,
        parsed: Parsed,
        editor: Editor,
        lists: ReliabilityLists,
        links: Mapping[str, StoredLink],
    ) -> None:
        self._parsed, self._editor, self._lists = parsed, editor, lists
        self._links = links
        self._gone = frozenset(
            key for key, link in links.items() if link.history.state is LinkState.GONE
        )

    def unchecked(
        self, claim: Claim, stored: StoredClaim, unread: StoredFetch
    ) -> Unchecked:
        """Return it with what can be done about its first unread source, if any."""
        sources = Sources(self._parsed.page.id, self._lists)
        sources.cited([s for s in claim.sources if s.key == unread.source_key], ())
        own = (stored.advice,) if stored.advice else ()
        lines = (*own, ADVICE[unread.outcome])
        return Unchecked(
            claim=claim_shown(claim, self._parsed),
            outcome=unread.outcome.value,
            advice=clean(" ".join(map(str, lines))),
            lines=[message_shown(line) for line in lines],
            source=sources.shown[0] if sources.shown else None,
            edits=list(self._editor.dead_links(claim, self._gone)),
            ways=[
                WayShown(way=each.kind.value, href=each.address)
                for source in claim.sources
                if source.key == unread.source_key
                for each in accesses_to(source, unread.outcome)
            ],
            link=_link_shown(self._links.get(unread.source_key)),
        )

    def changed_links(self, community: Community) -> Iterator[ChangedLink]:
        """Yield the sources of the page whose links need fixing, each once.

        Those that editors have already marked, or ask bots to leave alone, are left
        out.
        """
        seen: set[str] = set()
        for claim in self._parsed.page.claims:
            for source in claim.sources:
                link = self._links.get(source.key)
                if link is None or link.history.state not in _TO_BE_MENDED:
                    continue
                if source.key in seen or is_marked_dead(source):
                    continue
                is_tagged = any(tag.kind is TagKind.DEAD_LINK for tag in claim.tags)
                if is_tagged or is_ignored(claim.section, community):
                    continue
                if self._editor.places.is_let_be(claim, source):
                    continue
                seen.add(source.key)
                yield self._changed(claim, source, link)

    def _changed(self, claim: Claim, source: Source, link: StoredLink) -> ChangedLink:
        sources = Sources(self._parsed.page.id, self._lists)
        sources.cited([source], ())
        edits: list[Edit] = []
        if link.archived_url and link.archived_at:
            copy = link.archived_url, link.archived_at.date()
            edits += self._editor.archive(claim, source, copy, link.history.state)
        if not edits:
            edits += self._editor.dead_links(claim, self._gone & {source.key})
        return ChangedLink(
            claim=claim_shown(claim, self._parsed),
            source=sources.shown[0],
            link=_link_shown(link) or LinkShown(state="", since=None, times=0),
            edits=edits,
        )


def _link_shown(link: StoredLink | None) -> LinkShown | None:
    if link is None:
        return None
    history = link.history
    return LinkShown(
        state=history.state.value,
        since=history.since,
        times=history.times,
        led_to=safe_href(history.led_to),
    )


def suggestion_cards(
    stored: StoredPage, parsed: Parsed, builder: CardBuilder
) -> Iterator[Card]:
    """Yield the cards, not about a citation, of all that still applies to the page."""
    for one in stored.found:
        current = stands(one.suggestion, parsed)
        if current is None:
            continue
        visibility = stored.card_settings.of(one.suggestion, current.section)
        if visibility is not Visibility.LEFT_OUT:
            is_flagged = visibility is Visibility.FLAGGED
            yield builder.beside(one, parsed, current, is_flagged=is_flagged)


@dataclass(frozen=True, slots=True)
class QueuePage:
    """Part of a reader's queue; `next` requests the next part, `total` counts all."""

    cards: tuple[Card, ...]
    next: str | None
    total: int


class Cards:
    """Makes cards for readers; to be used in one event loop."""

    def __init__(
        self,
        store: Store,
        wiki: Callable[[str], PageReader],
        lists: ReliabilityLists,
        feedback: Callable[[], Feedback],
        *,
        now: Callable[[], datetime],
        tags: Callable[[str], WikiTags] = tags_of,
    ) -> None:
        """Show what is in `store`.

        Args:
            store: holds the findings.
            wiki: gives the reader of a wiki; raises PermanentError for an unknown one.
            lists: how wikis rate sources.
            feedback: what readers' decisions say about each kind of finding.
            now: the time.
            tags: the maintenance tags of a wiki.
        """
        self._wiki, self._lists = wiki, lists
        self._now, self._tags = now, tags
        self._stored = StoredPages(store, feedback, now)
        self._pages = ParsedPages(wiki)

    async def page(
        self, wiki: str, title: str, revision: int | None, reader: Reader | None
    ) -> PageAnswer:
        """Return all there is to show beside a revision, by default the newest.

        Raises:
            PermanentError: there is no such wiki, page or revision.
            TemporaryError: the wiki or the store is unavailable.
        """
        self._wiki(wiki)
        stored = await asyncio.to_thread(
            self._stored.page, wiki, _folded(title), reader
        )
        if stored.last_check is None and stored.run is None and not stored.found:
            return _nothing(wiki, stored, revision)
        parsed = await self._pages.get(wiki, stored.title, revision)
        return await asyncio.to_thread(self._answer, wiki, stored, parsed)

    async def diff(
        self,
        wiki: str,
        title: str,
        revision: int | None,
        reader: Reader | None,
        since: int,
    ) -> PageAnswer:
        """Return the notes about edits between two revisions, and nothing else.

        The wiki is only asked where there are some.

        Raises:
            PermanentError: there is no such wiki, page or revision.
            TemporaryError: the wiki or the store is unavailable.
        """
        self._wiki(wiki)
        name = _folded(title)
        stored = await asyncio.to_thread(self._stored.page, wiki, name, reader)
        found = tuple(
            one for one in stored.found if lies_within(one.suggestion, since, revision)
        )
        if not found:
            return _nothing(wiki, stored, revision)
        parsed = await self._pages.get(wiki, stored.title, revision)
        stored = replace(stored, found=found, last_check=None, run=None)
        return await asyncio.to_thread(self._answer, wiki, stored, parsed)

    async def version(
        self, wiki: str, title: str, revision: int | None, reader: Reader | None
    ) -> str:
        """Return a value that changes whenever `page`'s answer may; cheap.

        It differs each time if no revision is given and the page has revisions, because
        such pages are edited.
        """
        now, name = self._now(), _folded(title)
        words = "" if revision else await self._pages.stamp(wiki, name)
        when = now.isoformat() if words is None else f"{now:%Y-%m-%d}"
        parts = [
            *(wiki, title, str(revision), reader.key if reader else "", when, words),
            *await asyncio.to_thread(self._stored.version, wiki, name, reader),
        ]
        return sha256(repr(parts).encode("utf-8", "replace")).hexdigest()[:32]

    async def card(
        self, wiki: str, identity: str, reader: Reader | None
    ) -> Card | None:
        """Return one card as its page reads now; `None` if there is nothing to show.

        Raises:
            PermanentError: there is no such wiki.
            TemporaryError: the wiki or the store is unavailable.
        """
        self._wiki(wiki)
        title = await asyncio.to_thread(self._stored.title_of, wiki, identity)
        if title is None:
            return None
        cards = await self._cards_of(wiki, title, {identity}, reader)
        return next(iter(cards), None)

    async def counts(self, wiki: str, titles: Collection[str]) -> dict[str, int]:
        """Return how many flagged suggestions each of some pages has.

        It is as of the pages' last check, and as an anonymous reader sees them.

        Raises:
            PermanentError: there is no such wiki.
            TemporaryError: the store is unavailable.
        """
        self._wiki(wiki)
        names = {title: _folded(title) for title in titles}

        def count() -> dict[str, int]:
            counted: dict[str, int] = defaultdict(int)
            for one, visibility in self._stored.ranked(wiki, set(names.values())):
                is_open = visibility is Visibility.FLAGGED and not one.is_sensitive
                counted[one.title] += is_open
            return {title: counted[name] for title, name in names.items()}

        return await asyncio.to_thread(count)

    async def queue(self, reader: Reader, after: str | None, limit: int) -> QueuePage:
        """Return cards of all pages that a reader follows, the most urgent first.

        What they have decided about is left out, and so is what its page no longer
        says, although `total` counts that.

        Raises:
            PermanentError: `after` is not a valid cursor.
            TemporaryError: a wiki or the store is unavailable.
        """
        queued = await asyncio.to_thread(self._stored.queued, reader)
        return await self._part(reader, queued, after, limit)

    async def edits(self, reader: Reader, after: str | None, limit: int) -> QueuePage:
        """Return those cards of the queue that are about edits, the newest first.

        Raises:
            PermanentError: `after` is not a valid cursor.
            TemporaryError: a wiki or the store is unavailable.
        """
        queued = await asyncio.to_thread(self._stored.queued_edits, reader)
        return await self._part(reader, queued, after, limit)

    async def _part(
        self, reader: Reader, queued: Mapping[Rank, str], after: str | None, limit: int
    ) -> QueuePage:
        left, total = behind(queued, after), len(queued)
        cards: list[Card] = []
        last: Rank | None = None
        for _ in range(_ROUNDS):
            some = left[: limit - len(cards)]
            if not some:
                break
            left, last = left[len(some) :], some[-1]
            cards += await self._of_ranks(reader, some, queued)
        follows = cursor(last) if last and left else None
        return QueuePage(tuple(cards), follows, total)

    # --- cards -----------------------------------------------------------------

    async def _of_ranks(
        self, reader: Reader, ranks: Sequence[Rank], titles: Mapping[Rank, str]
    ) -> list[Card]:
        """Return the cards of those suggestions that their pages still need."""
        wanted: dict[str, set[str]] = defaultdict(set)
        for each in ranks:
            wanted[titles[each]].add(each.identity)
        room = asyncio.Semaphore(_PAGES_AT_ONCE)

        async def of_page(title: str) -> list[Card]:
            async with room:
                return await self._cards_of(reader.wiki, title, wanted[title], reader)

        found = await asyncio.gather(*map(of_page, wanted))
        cards = {card.id: card for some in found for card in some}
        return [cards[each.identity] for each in ranks if each.identity in cards]

    async def _cards_of(
        self, wiki: str, title: str, identities: Collection[str], reader: Reader | None
    ) -> list[Card]:
        """Return some cards of a page as it reads now; none if it is gone."""
        stored = await asyncio.to_thread(self._stored.page, wiki, title, reader)
        some = (one for one in stored.found if one.suggestion.identity in identities)
        stored = replace(stored, found=tuple(some))
        try:
            parsed = await self._pages.get(wiki, title, None)
        except PermanentError:
            return []
        return (await asyncio.to_thread(self._cards_on, wiki, stored, parsed))[0]

    def _answer(self, wiki: str, stored: StoredPage, parsed: Parsed) -> PageAnswer:
        cards, outdated = self._cards_on(wiki, stored, parsed)
        last_check, community = stored.last_check, stored.card_settings.community
        editor = self._editor(wiki, parsed, community)
        lists = self._lists.with_own(wiki, community.sources)
        shown = Shown(parsed, editor, lists, last_check.links if last_check else {})
        unchecked = (
            unchecked_of(last_check.check, parsed, community, shown)
            if last_check
            else []
        )
        named = {each.source.key for each in unchecked if each.source}
        links = (
            each
            for each in shown.changed_links(community)
            if each.source.key not in named
        )
        return PageAnswer(
            wiki=wiki,
            title=parsed.page.id.title,
            revision=parsed.page.id.revision_id,
            last_check=_last_check(last_check.check) if last_check else None,
            is_waiting=stored.is_waiting,
            cards=cards,
            unchecked=unchecked,
            outdated=outdated,
            searched=searched(stored.run),
            links=list(islice(links, _MOST_LISTED)),
        )

    def _cards_on(
        self, wiki: str, stored: StoredPage, parsed: Parsed
    ) -> tuple[list[Card], int]:
        """Return the cards in their order, and how many the page no longer needs."""
        editor = self._editor(wiki, parsed, stored.card_settings.community)
        policy = stored.card_settings.community.policy
        lists = self._lists.with_own(wiki, stored.card_settings.community.sources)
        builder = CardBuilder(lists, editor, stored.mine, _gone(stored), policy)
        cards, outdated = list(suggestion_cards(stored, parsed, builder)), 0
        for one in stored.found:
            if one.suggestion.kind not in OF_CITATIONS:
                continue
            claim = claim_of(one.suggestion, parsed)
            section = claim.section if claim else one.suggestion.section
            visibility = stored.card_settings.of(one.suggestion, section)
            if visibility is Visibility.LEFT_OUT:
                continue
            if claim is None:
                outdated += 1
            elif not is_settled(one.suggestion, claim):
                flagged = visibility is Visibility.FLAGGED
                cards.append(builder.card(one, parsed, claim, is_flagged=flagged))
        return _in_order(cards, stored), outdated

    def _editor(self, wiki: str, parsed: Parsed, community: Community) -> Editor:
        tags = with_own(self._tags(wiki), community.tags)
        return Editor(parsed.places, tags, self._now().date())


def _in_order(cards: Iterable[Card], stored: StoredPage) -> list[Card]:
    """Return cards in the order that their notes have on every surface."""
    notes = in_order(note_of(one.suggestion) for one in stored.found)
    places = {note.identity: place for place, note in enumerate(notes)}
    return sorted(cards, key=lambda card: places[card.id])


def _gone(stored: StoredPage) -> frozenset[str]:
    return stored.last_check.gone if stored.last_check else frozenset()


def _folded(title: str) -> str:
    return " ".join(title.replace("_", " ").split())


def _nothing(wiki: str, stored: StoredPage, revision: int | None) -> PageAnswer:
    return PageAnswer(
        wiki=wiki,
        title=stored.title,
        revision=revision,
        last_check=None,
        is_waiting=stored.is_waiting,
        cards=[],
        unchecked=[],
        outdated=0,
    )


def _last_check(check: StoredCheck) -> LastCheckAnswer:
    return LastCheckAnswer(
        revision=check.page.revision_id,
        at=check.checked_at,
        engine=f"{check.engine.name} {check.engine.version}",
        claims=check.counts.claims,
        supported=check.counts.supported,
    )
