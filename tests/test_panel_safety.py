"""The panel on a real wiki: by keyboard alone, as axe-core sees it, and against attacks.

The content security policy is the strictest that MediaWiki writes for `$wgCSPHeader` and
that its own scripts can live with, with the backend as the one address beyond the wiki.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    Dialog,
    Locator,
    Page,
    Route,
    expect,
    sync_playwright,
)

from bot.report import PageReport
from bot.store import Store
from handlers.citations.suggestions import suggestions_of
from handlers.findings import (
    DatedQuote,
    Quoted,
    Remedy,
    RemedyKind,
    Suggestion,
    UpdateFinding,
)
from handlers.model import Backing, Engine, UpdateKind, Verdict
from handlers.page import parse
from tests.demo_program import Person, demo
from tests.gadget.script.payloads import hostile_words
from tests.panel_place import (
    ARTICLES,
    REPORT,
    SOURCE,
    Article,
    beside_it,
    checked,
    failing,
    open_panel,
    put_in,
    sign_in,
    watch,
    write,
)
from tests.rig.axe import violations
from tests.rig.browser import open_chromium
from tests.rig.wiki.mediawiki import mediawiki_here

pytestmark = pytest.mark.mediawiki

_REFUSED = """document.addEventListener( 'securitypolicyviolation', ( event ) =>
    ( window.refused = window.refused || [] ).push( event.violatedDirective + ' ' + event.blockedURI ) );"""
_KINDS = [each for each in ARTICLES if each.kind in {"contradicted", "out of date"}]
_CONTRADICTED, _OUTDATED = _KINDS


@dataclass
class _Place:
    """The demo, its store, and a browser to read it with."""

    chromium: Browser
    wiki: str
    backend: str
    store: Store
    alice: Person

    @property
    def host(self) -> str:
        return urlsplit(self.wiki).netloc


@pytest.fixture(scope="module")
def place() -> Iterator[_Place]:
    mediawiki_here()
    with (
        demo() as running,
        beside_it(running) as store,
        sync_playwright() as playwright,
        open_chromium(playwright) as chromium,
    ):
        address, status, _ = running
        alice = Person(chromium.new_context().new_page(), address).log_in("Alice")
        new_place = _Place(chromium, address, status, store, alice)
        write(alice, {each.title: each.wikitext for each in _KINDS})
        watch(alice, [each.title for each in _KINDS])
        for article in _KINDS:
            put_in(store, new_place.host, article)
        yield new_place


def _item(tab: Page, article: Article, number: int) -> Any:
    claim = tab.locator(".sidenote-claim", has_text=article.words[number])
    return tab.locator(".sidenote-card:visible").filter(has=claim)


# --- keyboard ---------------------------------------------------------------------


def _focused(tab: Page) -> str:
    found: str = tab.evaluate("() => document.activeElement.innerText || ''")
    return found


def _opened(person: Person) -> None:
    """Wait until the panel is there and has the focus."""
    person.tab.locator(".sidenote-card:visible").first.wait_for()
    person.tab.wait_for_function("document.activeElement.closest( '.sidenote-panel' )")


def test_notes_are_walked_through_by_keyboard_alone(
    place: _Place, tmp_path: Path
) -> None:
    with place.chromium.new_context() as context:
        tab = context.new_page()
        person = Person(tab, place.wiki)
        person.read(_CONTRADICTED.title)
        entry = tab.locator("#ca-sidenote a")
        entry.wait_for()
        entry.focus()
        tab.keyboard.press("Enter")
        _to(tab, "Fetch notes")
        _opened(person)
        expect(_item(tab, _CONTRADICTED, 0)).to_be_visible()

        first, second = (
            f"document.activeElement.innerText.includes( '{words}' )"
            for words in _CONTRADICTED.words
        )
        for key, shown in (("n", None), ("n", second), ("p", first)):
            tab.keyboard.press(key)
            if shown:
                tab.wait_for_function(shown)
        tab.screenshot(path=tmp_path / "keys.png")
        tab.keyboard.press("Escape")
        expect(tab.locator(".sidenote-panel:visible")).to_have_count(0)
        expect(entry).to_be_focused()


def test_a_note_is_edited_dismissed_and_taken_back_by_keyboard_alone(
    place: _Place, tmp_path: Path
) -> None:
    with place.chromium.new_context() as context:
        context.route(f"{SOURCE}*", lambda one: one.fulfill(body="A summary."))
        tab = context.new_page()
        person = Person(tab, place.wiki).log_in("Bob")
        person.read(_CONTRADICTED.title)
        entry = tab.locator("#ca-sidenote a")
        entry.focus()
        tab.keyboard.press("Enter")
        _to(tab, "Fetch notes")
        _opened(person)
        tab.keyboard.press("n")
        with context.expect_page() as passage:  # editors read before they tag
            tab.keyboard.press("Enter")
        passage.value.wait_for_url(f"{SOURCE}*")
        passage.value.close()
        tab.bring_to_front()
        _to(tab, "Add {{Failed verification}}")
        tab.wait_for_selector("#wikiPreview .mw-parser-output")
        assert "{{Failed verification" in tab.input_value("#wpTextbox1")

        person.read(_CONTRADICTED.title)
        entry.focus()
        tab.keyboard.press("Enter")
        _opened(person)
        tab.keyboard.press("n")
        for name in ("Dismiss", "Not worth a change", "Sign in", "Save it on my page"):
            _to(tab, name)
        expect(
            tab.locator(":text('Dismissed: Not worth a change'):visible").first
        ).to_be_visible()
        tab.screenshot(path=tmp_path / "dismissed.png")
        tab.wait_for_function("document.activeElement.closest( '.sidenote-panel' )")
        tab.keyboard.press("u")
        expect(_item(tab, _CONTRADICTED, 0)).to_be_visible()
        tab.keyboard.press("Escape")
        expect(entry).to_be_focused()


def _to(tab: Page, name: str) -> None:
    """Go to a button by Tab, and press it."""
    expect(tab.get_by_role("button", name=name).first).to_be_visible()
    for _ in range(40):
        if _focused(tab).strip() == name:
            tab.keyboard.press("Enter")
            return
        tab.keyboard.press("Tab")
    pytest.fail(f"Tab does not come to {name}: {_focused(tab)}")


# --- axe-core -----------------------------------------------------------------------


@pytest.mark.parametrize("appearance", ["light", "dark"])
@pytest.mark.parametrize("article", _KINDS, ids=lambda each: each.kind)
def test_axe_finds_nothing_in_it_on_the_wiki(
    place: _Place, article: Article, appearance: Any, tmp_path: Path
) -> None:
    with place.chromium.new_context(reduced_motion="reduce") as context:
        tab = context.new_page()
        night = "" if appearance == "light" else "?vectornightmode=1"
        open_panel(Person(tab, place.wiki), article.title + night)
        if night:
            assert tab.locator("html.skin-theme-clientpref-night").count()
        for folded in tab.locator(".sidenote-panel summary:visible").all():
            folded.click()
        tab.mouse.move(0, 0)  # a link under it has the wiki's own colour
        tab.screenshot(path=tmp_path / f"{appearance}.png")
        assert violations(tab, ".sidenote-panel, #ca-sidenote") == []


# --- content security policy --------------------------------------------------------


@dataclass
class _Watched:
    """What a hostile page might have brought about."""

    dialogs: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


def _watching(context: BrowserContext, *known: str) -> _Watched:
    seen = _Watched()
    hosts = {urlsplit(each).netloc for each in known}

    def asked(address: str) -> None:
        parts = urlsplit(address)
        if parts.scheme not in {"data", "blob", "about"} and parts.netloc not in hosts:
            seen.foreign.append(address)

    def noted(dialog: Dialog) -> None:
        if dialog.type == "beforeunload":
            dialog.accept()  # the wiki's own question, whether to leave the form unsaved
            return
        seen.dialogs.append(dialog.message)
        dialog.dismiss()

    def opened(tab: Page) -> None:
        tab.on("dialog", noted)
        tab.on("pageerror", lambda error: seen.errors.append(str(error)))

    context.on("page", opened)
    context.on("request", lambda request: asked(request.url))
    return seen


def _strict(context: BrowserContext, backend: str) -> None:
    """Send each page with the policy."""
    at = f"http://{urlsplit(backend).netloc}"
    policy = (
        "script-src 'unsafe-eval' blob: 'self' 'unsafe-inline';"
        f" default-src 'self' data: blob: {at};"
        f" style-src 'self' data: blob: {at} 'unsafe-inline';"
        " object-src 'none'"
    )

    def answer(route: Route) -> None:
        got = route.fetch(max_redirects=0)
        headers = {**got.headers, "content-security-policy": policy}
        route.fulfill(response=got, headers=headers)

    # What is answered here has no address, so the browser takes it for the open web.
    context.grant_permissions(["local-network-access"])
    context.add_init_script(_REFUSED)
    context.route(re.compile(r"/wiki/|/w/index\.php"), answer)


def test_a_strict_policy_refuses_nothing_of_it(place: _Place, tmp_path: Path) -> None:
    with place.chromium.new_context() as context:
        _strict(context, place.backend)
        seen = _watching(context, place.wiki, place.backend)
        tab = context.new_page()
        person = Person(tab, place.wiki).log_in("Alice")
        open_panel(person, _OUTDATED.title)
        _item(tab, _OUTDATED, 0).get_by_role("button", name="Agree").click()
        sign_in(person)
        expect(tab.get_by_role("button", name="Undo").first).to_be_visible()
        tab.screenshot(path=tmp_path / "agreed.png")
        _item(tab, _OUTDATED, 1).get_by_role("button", name="Add {{").click()
        assert tab.evaluate("() => window.refused || []") == []
        tab.wait_for_selector("#wikiPreview .mw-parser-output")
        tab.click("#wpSave")
        tab.wait_for_url("**/wiki/**")
        assert "{{Update inline" in person.source(_OUTDATED.title)
        assert (seen.dialogs, seen.foreign, seen.errors) == ([], [], [])


# --- hostile words ------------------------------------------------------------------

_HOSTILE = "\"onfocus=alert(1) autofocus x='"
_NOTES = 120
_ASKS = "() => window.mw?.loader.getState( 'mediawiki.action.edit.editWarning' ) === 'ready'"
# What no card, list or report is made of, and what no element of theirs has.
_MADE = """root => Array.from( document.querySelectorAll( root + ' *' ) ).filter( ( each ) =>
    /^(script|img|iframe|frame|object|embed|form|style|link|meta|base|video|audio|source|math|template|marquee|input|isindex)$/
        .test( each.localName ) ||
    Array.from( each.attributes ).some( ( one ) => /^on/.test( one.name ) ||
        /^(href|src|action|formaction|data|poster)$/.test( one.name ) && /^\\s*(javascript|data|vbscript):/i.test( one.value ) )
).map( ( each ) => each.outerHTML.slice( 0, 200 ) )"""


def _plain(words: str) -> str:
    """Return the wikitext by which words show as they are."""
    return "".join(
        f"&#{ord(each)};" if each in "<>&[]{}|='" else each for each in words
    )


def _lines(payloads: list[str]) -> list[str]:
    return [" ".join(each.split())[:180] for each in payloads]


def _hostile_article(payloads: list[str]) -> str:
    def sentence(number: int, words: str) -> str:
        cited = f"{{{{cite web |url=https://news.example/{number} |title={_plain(words)}}}}}"
        return f"Arkansas {_plain(words)} had {number} tornadoes.<ref>{cited}</ref>"

    return "\n\n".join(sentence(*each) for each in enumerate(payloads))


def _hostile_note(found: Suggestion, words: str, number: int) -> Suggestion:
    address = f"javascript:{words}" if number % 2 else f"https://x.example/{words}"
    quoted = Quoted(
        quote=words,
        before=words,
        after=words,
        cut_before=True,
        cut_after=True,
        source_key=address if number % 3 else found.source_keys[0],
        title=words,
        work=words,
        published=words,
        href=address,
        language=words[:20],
    )
    fields = words.replace("|", "").replace("}", "")
    citation = f"{{{{cite web |url=https://x.example/ |title={fields}}}}}"
    return replace(
        found,
        quote=words,
        quote_url=address,
        engine=Engine(words[:50], words[:50]),
        remedies=tuple(
            Remedy(kind, address, citation, words, 0.9) for kind in RemedyKind
        ),
        details=replace(
            found.details,
            quotes=(quoted, quoted),
        ),
        finding=_newer(found, quoted) if number % 5 == 0 else found.finding,
    )


def _newer(found: Suggestion, quoted: Quoted) -> UpdateFinding:
    return UpdateFinding(
        UpdateKind.OUTDATED,
        quoted.quote,
        found.section,
        Backing.HIGH,
        statement=found.claim,
        news=(DatedQuote(quoted, None),),
    )


@pytest.fixture(scope="module")
def hostile(place: _Place) -> str:
    """Return the title of an article full of attacks, with a note of each of them."""
    every = _lines(hostile_words())
    payloads = every[:: len(every) // _NOTES][:_NOTES]
    text = _hostile_article(payloads)
    write(place.alice, {_HOSTILE: text})
    watch(place.alice, [each.title for each in _KINDS] + [_HOSTILE])
    kept = checked(place.store, place.host, _HOSTILE)
    page = parse(text, kept.page)
    named = {one.text: one.fingerprint for one in kept.claims}
    checks = tuple(
        replace(failing(Verdict.CONTRADICTED)(claim), fingerprint=named.get(claim.text))
        for claim in page.claims
        if len(claim.sources) == 1
    )
    assert len(checks) > _NOTES * 0.8
    found = [
        _hostile_note(one, payloads[number % len(payloads)], number)
        for number, one in enumerate(suggestions_of(page, checks))
    ]
    run = PageReport(page, checks, kept.engine, datetime.now(UTC), 1.0)
    assert place.store.save_check(run, found)
    return _HOSTILE


def _unfold(panel: Locator) -> None:
    """Open what is folded, and wait for the cards; some of the notes share one."""
    panel.get_by_text("Show all").or_(
        panel.locator(".sidenote-card").first
    ).first.wait_for()
    for folded in panel.locator("summary:visible").all()[:20]:
        folded.click()
    expect(panel.locator(".sidenote-card").nth(int(_NOTES * 0.8))).to_be_attached()


def test_attacks_in_every_field_stay_words_on_every_surface(
    place: _Place, hostile: str, tmp_path: Path
) -> None:
    with place.chromium.new_context() as context:
        seen = _watching(context, place.wiki, place.backend)
        tab = context.new_page()
        person = Person(tab, place.wiki).log_in("Alice")
        panel = open_panel(person, quote(hostile))
        _unfold(panel)
        tab.screenshot(path=tmp_path / "hostile-panel.png")
        assert tab.evaluate(_MADE, ".sidenote-panel") == []

        panel.get_by_role("button", name="Add {{").first.click()
        tab.wait_for_url("**action=submit**", wait_until="load")
        assert tab.evaluate(_MADE, "#wikiPreview .mw-parser-output p") == []

        # From here on the wiki asks whoever leaves the form.
        tab.wait_for_function(_ASKS)
        person.read("Special:BlankPage/sidenote")
        sign_in(person)
        tab.locator(".sidenote-queue .sidenote-card").first.wait_for()
        for _ in range(6):
            tab.keyboard.press("n")
            tab.wait_for_timeout(100)
        tab.screenshot(path=tmp_path / "hostile-queue.png")
        assert tab.evaluate(_MADE, ".sidenote-queue") == []

        person.waits_for(REPORT, lambda text: "onfocus" in text)
        tab.screenshot(path=tmp_path / "hostile-report.png")
        assert tab.evaluate(_MADE, "#mw-content-text .mw-parser-output") == []

        tab.goto(f"{place.backend.rstrip('/')}/panel/{place.host}/{quote(hostile)}")
        tab.get_by_role("button", name="Source notes").first.click()
        tab.locator(".sidenote-card").first.wait_for()
        tab.screenshot(path=tmp_path / "hostile-local.png")
        assert tab.evaluate(_MADE, ".sidenote-panel") == []
        assert (seen.dialogs, seen.foreign, seen.errors) == ([], [], [])
