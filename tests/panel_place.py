"""A wiki of the demo whose articles have a note of each kind, and people who read them.

What the program finds itself is left to it. What the verifier that ships does not find
in these words, and what only the web could tell, is put into the store as the worker
puts it there, in a second process beside it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from time import monotonic, sleep

from playwright.sync_api import Locator, expect

from bot.app.wiring.demo import BOT
from bot.report import PageReport
from bot.store import Store, StoredCheck, open_store
from handlers.citations.suggestions import suggestions_of
from handlers.findings import (
    DatedQuote,
    Quoted,
    Remedy,
    RemedyKind,
    Suggestion,
    UpdateFinding,
)
from handlers.model import (
    Backing,
    Claim,
    ClaimCheck,
    LinkVisit,
    Seen,
    SourceOutcome,
    UpdateKind,
    Verdict,
)
from handlers.page import parse
from tests.builders import claim_check, evidence, fetch, unchecked, verification
from tests.demo_program import Demo, Person

REPORT = "User:Alice/Sidenote report"
SOURCE = "https://www.weather.gov/lzk/2020.htm"
COPY = f"https://web.archive.org/web/20210301000000/{SOURCE}"
UNREAD = "https://news.example/2020"
SAYS = "The strongest tornado (rated EF3) tracked through Jonesboro on March 28th."
OTHER = f"{{{{cite web |url={SOURCE} |title=Arkansas Yearly Climate Summary |access-date=2026-11-20}}}}"
_WRITE = """pages => mw.loader.using( 'mediawiki.api' ).then( () => {
    const api = new mw.Api();
    return Object.keys( pages ).reduce( ( last, title ) => last.then( () =>
        api.postWithEditToken( { action: 'edit', title, text: pages[ title ] } )
    ), Promise.resolve() ).then( () => null );
} )"""
_PATIENCE_S = 180.0
_POLL_S = 0.1


@dataclass(frozen=True)
class Article:
    """An article with two notes of one kind, the second in a section of its own."""

    kind: str
    sentences: tuple[str, str]
    words: tuple[str, str]  # of the sentences, told apart by them
    address: str
    found: Callable[[Claim], ClaimCheck] | None = (
        None  # where the program finds another
    )
    add: Callable[[Suggestion], Suggestion] = lambda found: found

    @property
    def title(self) -> str:
        return f"A note of a kind: {self.kind}"

    @property
    def cited(self) -> str:
        return f"<ref>{{{{cite web |url={self.address} |title=The year 2020}}}}</ref>"

    @property
    def wikitext(self) -> str:
        first, second = (f"{each}{self.cited}" for each in self.sentences)
        return f"'''It''' is:\n\n{first}\n\n== More ==\n{second} It is so."


def failing(verdict: Verdict) -> Callable[[Claim], ClaimCheck]:
    """Return what the worker makes of a claim whose source fails it so."""

    def found(claim: Claim) -> ClaimCheck:
        [source] = claim.sources
        quote = evidence(SAYS, text=SAYS, matching=("tornado",), of=source)
        return claim_check(
            verdict,
            claim,
            fetches=(fetch(source),),
            verification=verification(verdict, quote),
        )

    return found


def gone(claim: Claim) -> ClaimCheck:
    """Return what the worker makes of a claim whose source is no more."""
    unread_check = unchecked(SourceOutcome.GONE, claim)
    [read], [source] = unread_check.fetches, claim.sources
    visit = LinkVisit(source.url or "", Seen.GONE, datetime.now(UTC), 404)
    return replace(unread_check, fetches=(replace(read, source=source, visit=visit),))


def _a_week_before(check: ClaimCheck) -> ClaimCheck:
    """Return a check whose links looked the same eight days ago."""
    fetches = tuple(
        replace(
            each,
            visit=each.visit
            and replace(each.visit, seen_at=each.visit.seen_at - timedelta(days=8)),
        )
        for each in check.fetches
    )
    return replace(check, fetches=fetches)


def _mended(kind: RemedyKind, address: str, citation: str) -> Callable[..., Suggestion]:
    remedy = Remedy(kind, address, citation, SAYS, 0.93)
    return lambda found: replace(found, remedies=(remedy,))


def _newer(found: Suggestion) -> Suggestion:
    quotes = [
        DatedQuote(
            Quoted(
                quote=f"Arkansas had {number} tornadoes this year",
                before="A count of all that were seen: ",
                after=", the most since 2011.",
                cut_before=False,
                cut_after=True,
                source_key=f"https://news.example/{day.year}",
                title=f"The tornadoes of {day.year}",
                work="The Arkansas Example",
                published=day.isoformat(),
                href=f"https://news.example/{day.year}",
            ),
            day,
        )
        for number, day in ((61, date(2026, 9, 1)), (58, date(2024, 12, 31)))
    ]
    finding = UpdateFinding(
        UpdateKind.OUTDATED,
        "Arkansas had 61 tornadoes.",
        found.section,
        Backing.HIGH,
        statement=found.claim,
        news=tuple(quotes),
    )
    details = replace(found.details, quotes=())
    return replace(found, finding=finding, details=details)


_NOT, _PARTLY = Verdict.NOT_SUPPORTED, Verdict.PARTIALLY_SUPPORTED
_BOTH_TRUE = (
    "The strongest tornado of 2020 was rated EF3.",
    "In 2020, 45 tornadoes were counted in Arkansas.",
)
_TRUE_WORDS = ("rated EF3", "45 tornadoes")
ARTICLES = (
    Article(
        "contradicted",
        ("The strongest tornado was rated EF5.", "Jonesboro had no tornado in 2020."),
        ("EF5", "no tornado"),
        SOURCE,
        failing(Verdict.CONTRADICTED),
    ),
    Article(
        "not supported",
        (
            "The keeper of the lighthouse bred four hundred white peacocks in 1787.",
            "Its lantern room holds a pipe organ that was built by Swedish monks in 1702.",
        ),
        ("peacocks", "organ"),
        SOURCE,
    ),
    Article(
        "partially supported",
        (
            "The year 2020 was the driest year in Arkansas, with precipitation far below"
            " average.",
            "The bishop of the island bred four hundred white cows in 1787.",
        ),
        ("driest", "bishop"),
        SOURCE,
        failing(_PARTLY),
    ),
    Article(
        "archived",
        _BOTH_TRUE,
        _TRUE_WORDS,
        "https://news.example/archived",
        failing(_NOT),
        _mended(
            RemedyKind.ARCHIVED_COPY,
            COPY,
            "{{cite web |url=https://news.example/archived |title=The year 2020"
            f" |archive-url={COPY} |archive-date=2021-03-01 |url-status=deviated}}}}",
        ),
    ),
    Article(
        "replaced",
        _BOTH_TRUE,
        _TRUE_WORDS,
        UNREAD,
        failing(_NOT),
        _mended(RemedyKind.OTHER_SOURCE, SOURCE, OTHER),
    ),
    Article(
        "added",
        _BOTH_TRUE,
        _TRUE_WORDS,
        UNREAD,
        failing(_PARTLY),
        _mended(RemedyKind.OTHER_SOURCE, SOURCE, OTHER),
    ),
    Article("out of date", _BOTH_TRUE, _TRUE_WORDS, SOURCE, failing(_PARTLY), _newer),
    Article("gone", _BOTH_TRUE, _TRUE_WORDS, UNREAD, gone),
)


@contextmanager
def beside_it(demo: Demo) -> Iterator[Store]:
    """Open the store of the demo that runs, as another process does."""
    with open_store(f"sqlite:///{demo.database}") as store:
        yield store


def write(person: Person, pages: Mapping[str, str]) -> None:
    """Save pages by the wiki's API, in the name of somebody who is logged in."""
    person.tab.wait_for_function("!!( window.mw && mw.loader && mw.loader.using )")
    person.tab.evaluate(_WRITE, dict(pages))


def watch(alice: Person, titles: Sequence[str]) -> None:
    """Ask for notes about articles."""
    asked = (
        f"{{{{User:{BOT}/watch |pages={'; '.join(titles)} |surface=report, gadget}}}}"
    )
    alice.save("User:Alice/Sidenote", lambda _: asked)


def checked(store: Store, wiki: str, title: str) -> StoredCheck:
    """Wait for the worker's look at a page."""
    until_s = monotonic() + _PATIENCE_S
    while (found := store.last_check(wiki, title)) is None:
        assert monotonic() < until_s, f"nobody looked at {title}"
        sleep(_POLL_S)
    return found


def put_in(store: Store, wiki: str, article: Article) -> None:
    """Put into the store what the worker did not find, as it saves what it finds."""
    kept = checked(store, wiki, article.title)
    if article.found is None:
        return
    page = parse(article.wikitext, kept.page)
    named = {one.text: one.fingerprint for one in kept.claims}
    checks = tuple(
        replace(article.found(claim), fingerprint=named[claim.text])
        for claim in page.claims
    )
    run = PageReport(page, checks, kept.engine, datetime.now(UTC), 1.0)
    # A link is dead once it has failed for a week; what a run of before found is old.
    before = tuple(map(_a_week_before, checks))
    old = replace(run, checks=before, checked_at=run.checked_at - timedelta(days=8))
    store.save_check(old, [])
    found = [
        article.add(replace(one, engine=kept.engine))
        for one in suggestions_of(page, checks)
    ]
    assert store.save_check(run, found)


def open_panel(person: Person, title: str) -> Locator:
    """Open the panel beside an article, as a reader does."""
    person.read(title)
    return open_here(person)


def open_here(person: Person) -> Locator:
    """Open the panel beside the article that is read."""
    person.tab.locator("#ca-sidenote a").click()
    return ready(person)


def ready(person: Person) -> Locator:
    """Return the panel that is being opened, when it has something to show."""
    panel = person.tab.locator(".sidenote-panel")
    panel.wait_for()
    consent = panel.get_by_role("button", name="Fetch notes")
    button = panel.get_by_role("button", name="Check this page now")
    settled = button.or_(panel.locator(".sidenote-card:visible")).first
    expect(consent.or_(settled).first).to_be_visible()
    if consent.is_visible():
        consent.click()
        expect(settled).to_be_visible()
    return panel


def sign_in(person: Person) -> None:
    """Say who one is, where the script asks for it."""
    person.tab.get_by_role("button", name="Sign in").first.click()
    person.tab.get_by_role("button", name="Save it on my page").click()
