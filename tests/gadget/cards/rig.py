"""A wiki, what was found on it, and the cards that readers see, for tests."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from bot.records.accounts import (
    Decision,
    DecisionKind,
    DismissReason,
    Reader,
)
from bot.records.watches import CommunityPage
from bot.report import PageReport
from bot.sources.reliability import load_reliability
from bot.store import Store
from bot.surfaces.feedback import Feedback
from bot.wiki.pages import NoSuchPageError, WikiPage
from gadget.cards import Cards
from gadget.payloads.cards import Card, PageAnswer
from handlers.citations.suggestions import suggestions_of
from handlers.model import (
    CheckKind,
    Claim,
    ClaimCheck,
    Drift,
    LinkVisit,
    PageId,
    Seen,
    Source,
    SourceFetch,
    SourceOutcome,
    Verdict,
)
from handlers.page import parse
from handlers.ports import PermanentError, TemporaryError
from tests import builders

WIKI = "en.wikipedia.org"
LISTS = load_reliability()
TITLE = "Sawyerville"
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
ADA = Reader(WIKI, "17", "Ada Penrose", "a" * 64)
BO = Reader(WIKI, "18", "Bo", "b" * 64)

RAIN = "The storm brought heavy rain to the whole county."
WIND = "Its winds uprooted many trees near the river."
FLOOD = "The river rose by three metres in two days."
SAID = "The storm brought rain and wind, and the river rose among the trees."
SOURCE = f"It was a dark week. {SAID} Nobody was hurt in the town."
TEXT = f"""'''Sawyerville''' is:

{RAIN}<ref>{{{{cite web|url=https://www.forbes.com/rain|title=Rain|work=Forbes}}}}</ref>

== History ==
{WIND}<ref name="w">[https://wind.example/ Wind]</ref>

=== Floods ===
{FLOOD}<ref name="w" /><ref>{{{{cite web|url=https://flood.example/|title=Flood}}}}</ref>

== Rain ==
{RAIN}<ref>https://other.example/</ref>
"""


@dataclass
class Wiki:
    """A wiki whose pages have the revisions that the test says."""

    pages: dict[str, dict[int, str]] = field(default_factory=dict)
    requests: list[tuple[str, int | None]] = field(default_factory=list)
    is_away: bool = False
    is_numbered: bool = True

    def edit(self, title: str, text: str) -> int:
        revisions = self.pages.setdefault(title, {})
        number = max(revisions, default=100 * len(self.pages)) + 1
        revisions[number] = text
        return number

    async def page(self, title: str, revision_id: int | None = None) -> WikiPage:
        self.requests.append((title, revision_id))
        await asyncio.sleep(0)
        if self.is_away:
            raise TemporaryError("the wiki is away", retry_in_s=5)
        if title not in self.pages:
            raise NoSuchPageError(f"there is no page {title}")
        number = revision_id or max(self.pages[title])
        if number not in self.pages[title]:
            raise PermanentError(f"there is no revision {number}")
        revision = number if self.is_numbered else None
        page_id = PageId(WIKI, title, revision_id=revision)
        return WikiPage(page_id, self.pages[title][number])


@dataclass
class Rig:
    """A store, a wiki, and the cards made of what both know."""

    store: Store
    wiki: Wiki
    steered: Feedback = field(default_factory=Feedback)
    now: datetime = NOON

    def __post_init__(self) -> None:
        self.cards = Cards(
            self.store,
            self._of,
            LISTS,
            lambda: self.steered,
            now=lambda: self.now,
        )

    def _of(self, wiki: str) -> Wiki:
        if wiki != WIKI:
            raise PermanentError(f"{wiki} is not looked after here")
        return self.wiki

    def find(
        self,
        text: str = TEXT,
        *verdicts: Verdict | None,
        title: str = TITLE,
        change: Callable[[ClaimCheck], ClaimCheck] = lambda check: check,
    ) -> int:
        """Save a page and a run over it; claim by claim a verdict, else not supported."""
        revision = self.wiki.edit(title, text)
        page = parse(text, PageId(WIKI, title, revision_id=revision))
        given = [*verdicts, *[Verdict.NOT_SUPPORTED] * len(page.claims)]
        self.now += timedelta(minutes=1)
        # What is gone was gone a week before, too; see `handlers.sources.links`.
        for at in (self.now - timedelta(days=8), self.now):
            checks = [
                change(_check(claim, verdict, at))
                for claim, verdict in zip(page.claims, given, strict=False)
            ]
            if at == self.now or any(one.verdict is None for one in checks):
                report = PageReport(page, tuple(checks), builders.ENGINE, at, 1.0)
                self.store.save_check(report, suggestions_of(page, checks))
        return revision

    def see(
        self,
        revision: int | None = None,
        reader: Reader | None = None,
        title: str = TITLE,
    ) -> PageAnswer:
        return asyncio.run(self.cards.page(WIKI, title, revision, reader))

    def decree(self, text: str) -> None:
        """Let the community's page say this from now on."""
        self.now += timedelta(minutes=1)
        self.store.communities.keep(WIKI, CommunityPage(text, 7, self.now))

    def decide(
        self, card: Card, reader: Reader, reason: DismissReason | None = None
    ) -> int:
        kind = DecisionKind.DISMISS if reason else DecisionKind.ACCEPT
        decision = Decision(
            wiki=WIKI,
            title=card.title,
            identity=card.id,
            kind=kind,
            verdict=Verdict(card.verdict),
            engine=builders.ENGINE,
            flag=CheckKind.NOT_SUPPORTED,
            flag_probability=0.9,
            revision=card.made.revision,
            decided_at=self.now,
            reason=reason,
        )
        return self.store.decisions.decide(reader.key, decision).number


def _check(claim: Claim, verdict: Verdict | None, at: datetime) -> ClaimCheck:
    fetches = tuple(
        builders.fetch(source) if verdict else _gone(source, at)
        for source in claim.sources
    )
    if verdict is None:
        return builders.claim_check(None, claim, fetches=fetches)
    found = builders.evidence(SAID, text=SOURCE, matching=(), of=claim.sources[0])
    return builders.claim_check(
        verdict,
        claim,
        fetches=fetches,
        verification=builders.verification(verdict, found),
    )


def _gone(source: Source, at: datetime) -> SourceFetch:
    visit = LinkVisit(source.url or "", Seen.GONE, at, 404)
    return replace(builders.unread(SourceOutcome.GONE, of=source), visit=visit)


def drift_of(check: ClaimCheck) -> Drift:
    """Return that the first source of a claim changed, with a filled archived copy."""
    source = check.claim.sources[0]
    copy = f"https://web.archive.org/web/20110520000000/{source.url}"
    added = f"|archive-url={copy}|archive-date=2011-05-20|url-status=deviated}}}}"
    return builders.drift(template=source.raw.removesuffix("}}") + added)


def claims_of(answer: PageAnswer) -> list[str]:
    """Return the words that the cards are about, in their order."""
    return [card.claim.text for card in answer.cards]
