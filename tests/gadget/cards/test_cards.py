"""What a reader sees is what was found, where it stands in the text before their eyes."""

import asyncio
import shutil
import sqlite3
from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.adapters.reliability import load_reliability
from bot.adapters.wiki_page import NoSuchPageError, WikiPage
from bot.jobs import JobReason, PageJob
from bot.readers import (
    Decision,
    DecisionKind,
    DismissReason,
    Reader,
    Tally,
)
from bot.report import PageReport
from bot.steering import Steering, SteeringRules, steering
from bot.store import Store, open_store
from bot.watches import CommunityPage, StandingWatch, Surface, WatcherKind
from gadget.cards import Cards
from gadget.payloads.cards import Card, CardKind, EditKind, PageAnswer
from handlers.citations.suggestions import suggestions_of
from handlers.model import (
    BetterSources,
    CheckKind,
    Claim,
    ClaimCheck,
    DatedQuote,
    Drift,
    PageId,
    SourceOutcome,
    Verdict,
)
from handlers.ports import PermanentError, TemporaryError
from handlers.wikitext import parse
from tests import builders
from tests.gadget.cards.pages import edited

WIKI = "en.wikipedia.org"
_LISTS = load_reliability()
TITLE = "Sawyerville"
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
ADA = Reader(WIKI, "17", "Ada Penrose", "a" * 64)
BO = Reader(WIKI, "18", "Bo", "b" * 64)

_RAIN = "The storm brought heavy rain to the whole county."
_WIND = "Its winds uprooted many trees near the river."
_FLOOD = "The river rose by three metres in two days."
_TEXT = f"""'''Sawyerville''' is a place. {_RAIN}<ref>{{{{cite web|url=https://www.forbes.com/rain|title=Rain|work=Forbes}}}}</ref>

== History ==
{_WIND}<ref name="w">[https://wind.example/ Wind]</ref>

=== Floods ===
{_FLOOD}<ref name="w" /><ref>{{{{cite web|url=https://flood.example/|title=Flood}}}}</ref>

== Rain ==
{_RAIN}<ref>https://other.example/</ref>
"""


def _packed(cursor: bytes) -> str:
    return urlsafe_b64encode(cursor).decode()


@dataclass
class _Wiki:
    """A wiki whose pages have the revisions that the test says."""

    pages: dict[str, dict[int, str]] = field(default_factory=dict)
    asked: list[tuple[str, int | None]] = field(default_factory=list)
    is_away: bool = False
    is_numbered: bool = True

    def edit(self, title: str, text: str) -> int:
        revisions = self.pages.setdefault(title, {})
        number = max(revisions, default=100 * len(self.pages)) + 1
        revisions[number] = text
        return number

    async def page(self, title: str, revision_id: int | None = None) -> WikiPage:
        self.asked.append((title, revision_id))
        await asyncio.sleep(0)
        if self.is_away:
            raise TemporaryError("the wiki is away", retry_in_s=5)
        if title not in self.pages:
            raise NoSuchPageError(f"there is no page {title}")
        number = revision_id or max(self.pages[title])
        if number not in self.pages[title]:
            raise PermanentError(f"there is no revision {number}")
        told = number if self.is_numbered else None
        page_id = PageId(WIKI, title, revision_id=told)
        return WikiPage(page_id, self.pages[title][number])


@dataclass
class _Rig:
    store: Store
    wiki: _Wiki
    steered: Steering = field(default_factory=Steering)
    now: datetime = NOON

    def __post_init__(self) -> None:
        self.cards = Cards(
            self.store,
            self._of,
            _LISTS,
            lambda: self.steered,
            now=lambda: self.now,
        )

    def _of(self, wiki: str) -> _Wiki:
        if wiki != WIKI:
            raise PermanentError(f"{wiki} is not looked after here")
        return self.wiki

    def find(
        self,
        text: str = _TEXT,
        *verdicts: Verdict | None,
        title: str = TITLE,
        change: Callable[[ClaimCheck], ClaimCheck] = lambda check: check,
    ) -> int:
        """Save a page and a run over it; claim by claim a verdict, else not supported."""
        revision = self.wiki.edit(title, text)
        page = parse(text, PageId(WIKI, title, revision_id=revision))
        given = [*verdicts, *[Verdict.NOT_SUPPORTED] * len(page.claims)]
        checks = [
            change(_check(claim, verdict))
            for claim, verdict in zip(page.claims, given, strict=False)
        ]
        self.now += timedelta(minutes=1)
        report = PageReport(page, tuple(checks), builders.ENGINE, self.now, 1.0)
        self.store.save_check(report, suggestions_of(page, checks))
        return revision

    def see(
        self,
        revision: int | None = None,
        reader: Reader | None = None,
        title: str = TITLE,
    ) -> PageAnswer:
        return asyncio.run(self.cards.page(WIKI, title, revision, reader))

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


def _check(claim: Claim, verdict: Verdict | None) -> ClaimCheck:
    readings = tuple(
        builders.reading(source)
        if verdict
        else builders.unread(SourceOutcome.GONE, of=source)
        for source in claim.sources
    )
    if verdict is None:
        return builders.claim_check(None, claim, readings=readings)
    found = builders.evidence(of=claim.sources[0])
    return builders.claim_check(
        verdict,
        claim,
        readings=readings,
        verification=builders.verification(verdict, found),
    )


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a database with nothing in it, for making one takes a second."""
    path = tmp_path_factory.mktemp("empty") / "kept.sqlite"
    with open_store(f"sqlite:///{path}"):
        return path


@pytest.fixture
def rig(empty: Path, tmp_path: Path) -> Iterator[_Rig]:
    copy = shutil.copy(empty, tmp_path / "kept.sqlite")
    with open_store(f"sqlite:///{copy}") as store:
        yield _Rig(store, _Wiki())


def _drift(check: ClaimCheck) -> Drift:
    source = check.claim.sources[0]
    copy = f"https://web.archive.org/web/20110520000000/{source.url}"
    added = f"|archive-url={copy}|archive-date=2011-05-20|url-status=deviated}}}}"
    return builders.drift(template=source.raw.removesuffix("}}") + added)


def _claims(answer: PageAnswer) -> list[str]:
    return [card.claim.text for card in answer.cards]


# --- what a card shows ----------------------------------------------------------


def test_cards_stand_in_the_order_of_the_page_each_beside_its_own_sentence(
    rig: _Rig,
) -> None:
    revision = rig.find()

    answer = rig.see(revision)

    assert _claims(answer) == [_RAIN, _WIND, _FLOOD, _RAIN]
    places = [(card.claim.section, card.claim.occurrence) for card in answer.cards]
    assert places == [
        ([], 0),
        (["History"], 0),
        (["History", "Floods"], 0),
        (["Rain"], 1),
    ]
    assert [card.place for card in answer.cards] == [
        _TEXT.index(_RAIN),
        _TEXT.index(_WIND),
        _TEXT.index(_FLOOD),
        _TEXT.rindex(_RAIN),
    ]
    assert (answer.revision, answer.outdated, answer.unchecked) == (revision, 0, [])
    assert answer.looked
    assert (answer.looked.revision, answer.looked.claims) == (revision, 4)


def test_a_card_holds_what_it_takes_to_judge(rig: _Rig) -> None:
    unsupported = (builders.span_of("heavy rain", _RAIN),)

    def marked(check: ClaimCheck) -> ClaimCheck:
        assert check.verification
        found = replace(check.verification, unsupported=unsupported)
        return replace(check, verification=found)

    revision = rig.find(change=marked)

    card = rig.see(revision).cards[0]

    assert (card.kind, card.verdict, card.is_flagged) == (
        CardKind.CITATION,
        "not supported",
        True,
    )
    assert [each.text for each in card.claim.pieces if each.unsupported] == [
        "heavy rain"
    ]
    assert "".join(each.text for each in card.claim.pieces) == card.claim.text
    [quote], [source] = card.quotes, card.sources
    assert quote.quote == builders.QUOTE
    assert quote.before + quote.quote + quote.after in builders.SOURCE_TEXT
    assert (quote.source, quote.is_archived) == (0, False)
    assert quote.href
    assert quote.href.startswith("https://www.forbes.com/rain#:~:text=")
    assert (source.title, source.work, source.host) == ("Rain", "Forbes", "forbes.com")
    assert source.reliability
    assert source.reliability.trust == "mixed"
    assert source.reliability.href == "https://en.wikipedia.org/wiki/WP:NEWFORBES"
    assert (card.confidence.percent, card.confidence.precision) == (94, 90)
    assert (card.made.engine, card.made.revision) == (builders.ENGINE.name, revision)
    [tag] = card.edits
    after = edited(parse(_TEXT, PageId(WIKI, TITLE)), tag)
    assert "</ref>{{Failed verification|date=November 2026}}\n\n== History" in after


def test_remedies_come_with_the_edit_that_puts_them_in(rig: _Rig) -> None:
    better = builders.recommendation()

    revision = rig.find(
        change=lambda check: replace(check, better=BetterSources(better, None, 3))
    )
    first, _, flood, _ = rig.see(revision).cards

    [remedy] = first.remedies
    assert (remedy.kind, remedy.citation, remedy.percent) == (
        "other source",
        better.template,
        93,
    )
    offered = first.sources[remedy.source]
    assert (offered.title, offered.href) == ("The news", "https://news.example/1")
    [edit] = [each for each in first.edits if each.id == remedy.edit]
    assert edit.kind is EditKind.CITE
    assert edit.old.startswith("{{cite web|url=https://www.forbes.com")
    assert [each.old for each in flood.edits if each.kind is EditKind.CITE] == [""]


def test_newer_facts_make_a_card_of_their_own_kind(rig: _Rig) -> None:
    revision = rig.find()
    kept = rig.store.suggestions_of(WIKI, TITLE)
    quote = replace(
        kept[0].suggestion.details.quotes[0], source_key="https://new.example/"
    )
    news = (DatedQuote(quote, NOON.date()), DatedQuote(quote, None))
    page = parse(_TEXT, PageId(WIKI, TITLE, revision_id=revision))
    report = PageReport(page, (), builders.ENGINE, NOON + timedelta(hours=1), 1.0)
    found = [
        replace(one.suggestion, details=replace(one.suggestion.details, news=news))
        for one in kept
    ]
    rig.store.save_check(report, found)

    card = rig.see(revision).cards[0]

    assert card.kind is CardKind.UPDATE
    assert [each.dated for each in card.quotes] == [NOON.date(), None]
    assert card.sources[card.quotes[0].source].host == "new.example"
    assert [each.label for each in card.edits] == ["Update inline"]


# --- in the revision that the reader sees -----------------------------------------


def test_a_claim_is_found_where_it_was_moved_to(rig: _Rig) -> None:
    rig.find()
    before, _, after = _TEXT.partition(f"{_WIND}")
    link, _, rest = after.partition("\n")
    moved = rig.wiki.edit(TITLE, f"{before}{rest}\n== Winds ==\n{_WIND}{link}\n")

    card = next(card for card in rig.see(moved).cards if card.claim.text == _WIND)

    assert card.claim.section == ["Winds"]
    assert [edit.section for edit in card.edits] == [4]
    assert _WIND in rig.wiki.pages[TITLE][moved][card.place :][: len(_WIND)]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("uprooted many trees", "broke a few trees", id="words"),
        pytest.param("https://wind.example/", "https://calm.example/", id="a source"),
        pytest.param(_WIND, "", id="all of it"),
    ],
)
def test_what_reads_otherwise_by_now_is_left_out_and_counted(
    rig: _Rig, old: str, new: str
) -> None:
    first = rig.find()
    later = rig.wiki.edit(TITLE, _TEXT.replace(old, new))

    answer = rig.see(later)

    assert _WIND not in _claims(answer)
    assert answer.outdated == 4 - len(answer.cards) > 0
    assert _WIND in _claims(rig.see(first))  # who reads the old text still sees it
    assert _WIND not in _claims(rig.see())  # without a number it is the newest


def test_a_claim_that_the_reader_has_tagged_is_done_with(rig: _Rig) -> None:
    revision = rig.find()
    card = rig.see(revision).cards[1]
    [tag] = card.edits

    saved = rig.wiki.edit(TITLE, edited(parse(_TEXT, PageId(WIKI, TITLE)), tag))

    answer = rig.see(saved)
    assert _WIND not in _claims(answer)
    assert (len(answer.cards), answer.outdated) == (3, 0)


def test_a_citation_that_has_the_archived_copy_by_now_is_done_with(rig: _Rig) -> None:
    revision = rig.find(change=lambda check: replace(check, drift=_drift(check)))
    first = rig.see(revision).cards[0]
    [archive] = [each for each in first.edits if each.kind is EditKind.ARCHIVE]

    saved = rig.wiki.edit(TITLE, edited(parse(_TEXT, PageId(WIKI, TITLE)), archive))

    left = [card.id for card in rig.see(saved).cards]
    assert (first.id in left, len(left)) == (False, 3)


# --- what is not shown -------------------------------------------------------------


def test_what_two_readers_refused_is_closed_for_all(rig: _Rig) -> None:
    rig.find()
    card = rig.see().cards[0]

    rig.decide(card, ADA, DismissReason.SOURCE_SAYS_IT)
    by_one = rig.see(reader=ADA)
    rig.decide(card, BO, DismissReason.NOT_WORTH_IT)

    assert [each.mine is not None for each in by_one.cards] == [
        True,
        False,
        False,
        False,
    ]
    mine = by_one.cards[0].mine
    assert mine
    assert (mine.kind, mine.reason) == ("dismiss", "source says it")
    assert card.id not in {each.id for each in rig.see().cards}
    assert asyncio.run(rig.cards.card(WIKI, card.id, None)) is None
    assert asyncio.run(rig.cards.counts(WIKI, [TITLE])) == {TITLE: 3}


def test_a_kind_that_readers_refuse_is_left_out(rig: _Rig) -> None:
    rig.find()
    wrong = Tally(
        WIKI, builders.ENGINE, builders.flag().kind, right=(), wrong=(0.99,) * 30
    )

    rig.steered = steering([wrong], SteeringRules())

    assert rig.see().cards == []
    assert rig.see().outdated == 0
    assert asyncio.run(rig.cards.counts(WIKI, [TITLE])) == {TITLE: 0}


def _community(rig: _Rig, text: str) -> None:
    page = CommunityPage(text, 7, rig.now)
    rig.store.communities.keep(WIKI, page)


def test_sections_that_a_community_leaves_alone_have_no_cards(rig: _Rig) -> None:
    rig.find(_TEXT, None)
    _community(rig, '{"ignoreSections": ["history"]}')

    answer = rig.see()

    assert [card.claim.section for card in answer.cards] == [["Rain"]]
    assert asyncio.run(rig.cards.counts(WIKI, [TITLE])) == {TITLE: 1}


def test_doubtful_ones_are_given_and_not_counted(rig: _Rig) -> None:
    def doubtful(check: ClaimCheck) -> ClaimCheck:
        return replace(check, flag=None) if check.claim.text == _WIND else check

    rig.find(change=doubtful)
    _community(rig, '{"thresholds": {"not fully supported": 0.93}}')

    shown = {card.claim.text: card.is_flagged for card in rig.see().cards}

    assert shown == {_RAIN: True, _WIND: False, _FLOOD: True}
    _community_at(rig, '{"thresholds": {"not fully supported": 0.95}}')
    assert not any(card.is_flagged for card in rig.see().cards)
    assert asyncio.run(rig.cards.counts(WIKI, [TITLE, "No_such"])) == {
        TITLE: 0,
        "No_such": 0,
    }


def _community_at(rig: _Rig, text: str) -> None:
    rig.now += timedelta(minutes=1)
    _community(rig, text)


# --- what could not be checked ------------------------------------------------------


def test_what_could_not_be_checked_is_told_with_what_can_be_done(rig: _Rig) -> None:
    revision = rig.find(_TEXT, None, Verdict.SUPPORTED, None, Verdict.SUPPORTED)

    answer = rig.see(revision)

    rain, flood = answer.unchecked
    assert (rain.claim.text, rain.outcome) == (_RAIN, "gone")
    assert "archived copy" in rain.advice
    assert rain.source
    assert rain.source.title == "Rain"
    assert [edit.label for edit in rain.edits] == ["Dead link"]
    assert [edit.section for edit in flood.edits] == [1, 2]
    later = rig.wiki.edit(TITLE, _TEXT.replace("three metres", "3 m"))
    assert [one.claim.text for one in rig.see(later).unchecked] == [_RAIN]
    later = rig.wiki.edit(TITLE, _TEXT.replace("forbes.com/rain", "forbes.com/snow"))
    assert [one.claim.text for one in rig.see(later).unchecked] == [_FLOOD]


# --- pages, wikis and what changes ---------------------------------------------------


def test_a_page_that_was_never_looked_at_is_not_even_read(rig: _Rig) -> None:
    job = PageJob(WIKI, TITLE, JobReason.RECHECK, asked_at=NOON, due_at=NOON)
    rig.store.jobs.put([job])

    answer = rig.see(12)

    assert (answer.looked, answer.cards, answer.is_waiting) == (None, [], True)
    assert rig.wiki.asked == []


def test_a_wiki_or_a_revision_that_is_none_is_said_to_be_none(rig: _Rig) -> None:
    rig.find()

    with pytest.raises(PermanentError, match="no revision"):
        rig.see(999_999)
    for asked in (
        rig.cards.page("evil.example", TITLE, None, None),
        rig.cards.card("evil.example", "1", None),
        rig.cards.counts("evil.example", [TITLE]),
    ):
        with pytest.raises(PermanentError, match="not looked after"):
            asyncio.run(asked)
    assert asyncio.run(rig.cards.card(WIKI, "no such", None)) is None


def test_many_who_ask_at_once_have_a_revision_read_once(rig: _Rig) -> None:
    revision = rig.find()

    async def ask() -> list[PageAnswer]:
        asked = (rig.cards.page(WIKI, TITLE, revision, None) for _ in range(20))
        return await asyncio.gather(*asked)

    answers = asyncio.run(ask())

    assert rig.wiki.asked == [(TITLE, revision)]
    assert all(answer == answers[0] for answer in answers)
    rig.see(revision)
    assert len(rig.wiki.asked) == 1


def test_a_wiki_that_was_away_is_asked_again(rig: _Rig) -> None:
    revision = rig.find()
    rig.wiki.is_away = True
    with pytest.raises(TemporaryError):
        rig.see(revision)
    rig.wiki.is_away = False

    assert len(rig.see(revision).cards) == 4


def test_a_card_from_before_quotes_had_surroundings_shows_its_quote(
    rig: _Rig, tmp_path: Path
) -> None:
    rig.find()
    with closing(sqlite3.connect(tmp_path / "kept.sqlite")) as database:
        database.execute("UPDATE suggestions SET details = NULL")
        database.commit()

    card = rig.see().cards[0]

    [quote] = card.quotes
    assert quote.quote == builders.QUOTE
    assert (quote.before, quote.after, quote.source) == ("", "", 0)
    assert (quote.cut_before, quote.cut_after) == (True, True)
    assert card.sources[0].title != "None"


def test_the_version_is_another_whenever_the_answer_may_be(rig: _Rig) -> None:
    revision = rig.find()
    seen: list[str] = []

    def version(reader: Reader | None = None, of: int | None = revision) -> str:
        return asyncio.run(rig.cards.version(WIKI, TITLE, of, reader))

    def note(reader: Reader | None = None) -> None:
        assert version(reader) == version(reader)
        seen.append(version(reader))

    card = rig.see().cards[0]
    note()
    note(ADA)
    number = rig.decide(card, ADA, DismissReason.OTHER)
    note(ADA)
    rig.store.decisions.undo(ADA.key, number, rig.now)
    note(ADA)
    _community_at(rig, '{"ignoreSections": ["x"]}')
    note()
    rig.steered = steering(
        [Tally(WIKI, builders.ENGINE, CheckKind.NOT_SUPPORTED, (), (0.9,) * 30)],
        SteeringRules(),
    )
    note()
    rig.find()
    note()
    seen.append(version(of=revision + 1))

    assert len(set(seen)) == len(seen)
    rig.now += timedelta(seconds=1)
    assert version(of=None) != seen[-1]


def test_a_page_without_revisions_has_a_version_of_its_words(rig: _Rig) -> None:
    """As the articles that ship: nothing but their text tells what is new in them."""
    rig.find()
    rig.wiki.is_numbered = False
    seen = []
    for _ in range(3):
        seen.append(asyncio.run(rig.cards.version(WIKI, TITLE, None, None)))
        rig.see()
        rig.now += timedelta(seconds=1)
    rig.wiki.edit(TITLE, _TEXT + "More.")
    seen.append(asyncio.run(rig.cards.version(WIKI, TITLE, None, None)))

    assert seen[1] == seen[2]
    assert len({seen[0], seen[1], seen[3]}) == 3


# --- the queue ------------------------------------------------------------------------


def _follow(rig: _Rig, reader: Reader, *titles: str) -> None:
    watch = StandingWatch(
        wiki=WIKI,
        place=f"User:{reader.user}/Sidenote",
        kind=WatcherKind.USER,
        watcher=reader.user,
        pages=titles,
        surfaces=(Surface.GADGET,),
    )
    rig.store.watches.keep(watch, (), NOON)


def _walk(rig: _Rig, reader: Reader, limit: int) -> list[Card]:
    cards: list[Card] = []
    after = None
    while True:
        part = asyncio.run(rig.cards.queue(reader, after, limit))
        assert len(part.cards) <= limit
        cards += part.cards
        if part.next is None:
            return cards
        after = part.next


def test_a_queue_walks_all_pages_that_a_reader_follows_the_gravest_first(
    rig: _Rig,
) -> None:
    verdicts = (Verdict.NOT_SUPPORTED, Verdict.CONTRADICTED, Verdict.SUPPORTED)

    def doubtful(check: ClaimCheck) -> ClaimCheck:
        return replace(check, flag=None) if check.claim.text == _FLOOD else check

    rig.find(_TEXT, *verdicts, Verdict.PARTIALLY_SUPPORTED, title="One")
    rig.find(_TEXT, *verdicts[::-1], Verdict.SUPPORTED, title="Two", change=doubtful)
    rig.find(title="Not followed")
    _follow(rig, ADA, "One", "Two", "Gone")

    whole = _walk(rig, ADA, 100)

    found = [(card.is_flagged, card.verdict) for card in whole]
    assert found == [
        (True, "contradicted"),
        (True, "contradicted"),
        (True, "not supported"),
        (True, "partially supported"),
        (False, "not supported"),
    ]
    assert {card.title for card in whole} == {"One", "Two"}
    assert [card.id for card in _walk(rig, ADA, 2)] == [card.id for card in whole]
    assert _walk(rig, BO, 10) == []


def test_a_queue_goes_on_where_it_was_while_things_are_decided(rig: _Rig) -> None:
    rig.find()
    _follow(rig, ADA, TITLE)
    whole = [card.id for card in _walk(rig, ADA, 10)]
    first = asyncio.run(rig.cards.queue(ADA, None, 2))
    for card in first.cards:
        rig.decide(card, ADA)

    rest = asyncio.run(rig.cards.queue(ADA, first.next, 10))
    anew = asyncio.run(rig.cards.queue(ADA, None, 10))

    assert [card.id for card in rest.cards] == whole[2:]
    assert [card.id for card in anew.cards] == whole[2:]
    assert (first.total, rest.total, rest.next) == (4, 2, None)


def test_what_is_out_of_date_leaves_no_hole_in_the_queue(rig: _Rig) -> None:
    many = "".join(f"Claim {n} is here.<ref>A b c {n}</ref>\n\n" for n in range(10))
    rig.find(many)
    rig.wiki.edit(TITLE, "".join(many.splitlines(keepends=True)[16:]))
    _follow(rig, ADA, TITLE)

    part = asyncio.run(rig.cards.queue(ADA, None, 2))

    assert len(part.cards) == 2
    assert part.total == 10


@pytest.mark.parametrize(
    "after",
    [
        *("", "x", "é", "bnVsbA==", "W10=", "A" * 10_000),
        _packed(b'[false, Infinity, 0, "a"]'),
        _packed(b'[false, 0, %s, "a"]' % (b"1" * 320)),
    ],
)
def test_a_place_in_the_queue_that_is_none_is_refused(rig: _Rig, after: str) -> None:
    rig.find()
    _follow(rig, ADA, TITLE)

    with pytest.raises(PermanentError, match="no place in the queue"):
        asyncio.run(rig.cards.queue(ADA, after, 2))


# --- hostile values --------------------------------------------------------------------


def test_letters_that_no_answer_can_carry_are_replaced(rig: _Rig) -> None:
    bad = "\ud800\x00\x1b[2J"
    text = f"It rained {bad} a lot.<ref>[https://a.example/ Title {bad}]</ref>\n== H{bad} ==\n"

    def hostile(check: ClaimCheck) -> ClaimCheck:
        found = builders.evidence(
            f"So {bad}", text=f"{bad} So {bad}", matching=(), of=check.claim.sources[0]
        )
        return replace(
            check,
            verification=builders.verification(Verdict.NOT_SUPPORTED, found),
        )

    revision = rig.find(text, change=hostile)

    answer = rig.see(revision)

    assert len(answer.cards) == 1
    sent = answer.model_dump_json()
    assert PageAnswer.model_validate_json(sent) == answer
    assert "\\u001b" not in sent
    assert "\\u0000" not in sent
