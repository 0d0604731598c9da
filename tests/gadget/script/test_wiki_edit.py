"""Opening the editor, on a real MediaWiki: the person saves exactly the change, or nothing."""

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from bot.demo.loopback.wiki.serving import Wiki
from bot.records.accounts import ReportAnswer
from bot.surfaces.problem_reports import reports_of
from gadget.bundle import bundle
from gadget.payloads.cards import Edit, EditKind, MessageShown
from tests.bot.writing.people import ADMIN, ADMIN_PASSWORD, PASSWORD, Person
from tests.gadget.script.cards import card

pytestmark = [pytest.mark.browser, pytest.mark.mediawiki]

SHIPPED = "Edwardsville Amazon warehouse collapse"
ARTICLE = "Harbour Clock of Eastmere"  # short, so that it is parsed at once
MODULES = ["mediawiki.api", "mediawiki.util", "mediawiki.user", "mediawiki.storage"]
_HEADING = re.compile(r"^=+[^=\n].*?=+[ \t]*$", re.M)
_REFERENCE = re.compile(r"<ref[^>/]*>\{\{cite (?:web|news|book)[^{}]*\}\}</ref>", re.I)
EDIT = """given => mw.loader.using( given.modules ).then( () => {
    const page = {
        wiki: location.host, title: mw.config.get( 'wgPageName' ).replace( /_/g, ' ' ),
        revision: mw.config.get( 'wgRevisionId' )
    };
    const actions = window.sidenote.actions.create( {
        mw, page, api: null, identity: { token: () => null }
    } );
    window.edited = actions.edit( Object.assign( given.card, { wiki: page.wiki } ), given.edit );
} )"""


@pytest.fixture
def admin(wiki: Wiki) -> Iterator[Person]:
    wiki.reset()
    person = Person(wiki.host, ADMIN).log_in(ADMIN_PASSWORD)
    yield person
    person.web.close()


@dataclass
class Reader:
    """Somebody at a browser, on an article."""

    tab: Page
    host: str

    def log_in(self, name: str) -> "Reader":
        self.tab.goto(f"http://{self.host}/w/index.php?title=Special:UserLogin")
        self.tab.fill("#wpName1", name)
        self.tab.fill("#wpPassword1", PASSWORD)
        self.tab.click("#wpLoginAttempt")
        self.tab.wait_for_selector("#pt-userpage, #pt-userpage-2")
        return self

    def read(self, title: str) -> "Reader":
        self.tab.goto(f"http://{self.host}/wiki/{title.replace(' ', '_')}")
        self.tab.wait_for_function("!!( window.mw && mw.loader && mw.loader.using )")
        self.tab.add_script_tag(content=bundle("actions.js", {"bot": "SidenoteBot"}))
        return self

    def edit(self, change: Edit) -> None:
        """Ask for the edit; what comes of it is to be awaited."""
        arguments = {
            "modules": MODULES,
            "card": card().model_dump(mode="json"),
            "edit": change.model_dump(mode="json"),
        }
        self.tab.evaluate(EDIT, arguments)

    def fills_in(self, change: Edit) -> None:
        """Ask for the edit, and wait for the wiki's preview of it."""
        self.edit(change)
        self.tab.wait_for_selector("#wikiPreview .mw-parser-output")

    def save(self) -> None:
        self.tab.click("#wpSave")
        self.tab.wait_for_load_state()


@pytest.fixture
def reader(wiki: Wiki, chromium: Browser) -> Iterator[Reader]:
    context = chromium.new_context()
    yield Reader(context.new_page(), wiki.host)
    context.close()


def change_in(
    text: str,
    kind: EditKind = EditKind.TAG,
    changed: Callable[[str], str] | None = None,
) -> Edit:
    """Return a change of a reference that stands in a section of its own number."""
    found = next(m for m in _REFERENCE.finditer(text) if m.start() > text.index("\n=="))
    before = text[max(0, found.start() - 30) : found.start()]
    before = before.rpartition("\n")[2]
    old = found.group()
    return Edit(
        id="e1",
        kind=kind,
        label="Failed verification",
        section=len(_HEADING.findall(text[: found.start()])),
        before=before,
        old=old,
        new=changed(old) if changed else old + "{{Failed verification|date=May 2026}}",
        after=text[found.end() : found.end() + 20].partition("\n")[0],
    )


def archived(old: str) -> str:
    return old.replace(
        "}}</ref>",
        " |archive-url=https://web.archive.org/web/2022/https://news.example/a?b=1&c=2"
        " |archive-date=2 May 2022}}</ref>",
    )


def beside(old: str) -> str:
    return (
        old + "<ref>{{cite web |url=https://news.example/é |title=„Ende“ & 'so'}}</ref>"
    )


def tagged(old: str) -> str:
    return old + "{{Failed verification|date=May 2026}}"


SUMMARIES = {
    EditKind.TAG: "Added {{Failed verification}} ([[User:SidenoteBot|Sidenote]])",
    EditKind.ARCHIVE: "Added an archived copy of “Failed verification” ([[User:SidenoteBot|Sidenote]])",
    EditKind.CITE: "Cited “Failed verification” ([[User:SidenoteBot|Sidenote]])",
}


@pytest.mark.parametrize(
    ("name", "kind", "changed"),
    [
        (None, EditKind.TAG, tagged),
        ("Alice", EditKind.ARCHIVE, archived),
        ("Alice", EditKind.CITE, beside),
    ],
)
def test_a_person_saves_exactly_the_change(
    admin: Person,
    reader: Reader,
    name: str | None,
    kind: EditKind,
    changed: Callable[[str], str],
) -> None:
    if name:
        reader.log_in(name)
    text = admin.text(SHIPPED)
    change = change_in(text, kind, changed)

    reader.read(SHIPPED).fills_in(change)

    tab = reader.tab
    assert admin.text(SHIPPED) == text  # nothing is saved before the person does
    assert change.new in tab.input_value("#wpTextbox1").replace("\r\n", "\n")
    assert tab.input_value("#wpSummary") == SUMMARIES[kind]
    assert tab.locator("#wikiPreview .reference").count()
    assert tab.locator(".mw-message-box-warning, .error").count() == 0
    reader.save()
    assert admin.text(SHIPPED) == text.replace(change.old, change.new)
    last = last_revision(admin, SHIPPED)
    assert last["comment"] == SUMMARIES[kind]
    assert last["user"] == name if name else last["anon"]


def test_who_watches_a_page_still_does(admin: Person, reader: Reader) -> None:
    alice = Person(admin.host, "Alice").log_in()
    alice.post("watch", "watch", titles=ARTICLE)
    reader.log_in("Alice").read(ARTICLE).fills_in(change_in(admin.text(ARTICLE)))

    reader.save()

    [page] = alice.get(action="query", titles=ARTICLE, prop="info", inprop="watched")[
        "query"
    ]["pages"]
    assert page["watched"]
    alice.web.close()


def test_an_edit_in_between_is_the_wikis_own_conflict(
    admin: Person, reader: Reader
) -> None:
    text = admin.text(ARTICLE)
    change = change_in(text)
    reader.read(ARTICLE).fills_in(change)
    admin.edit(ARTICLE, text.replace(change.old, change.old + " And more."))

    reader.save()

    expect(reader.tab.locator("#firstHeading")).to_contain_text("Edit conflict")
    assert change.new in reader.tab.input_value("#wpTextbox2")
    assert "And more." in admin.text(ARTICLE)


def test_a_place_that_reads_otherwise_by_now_leads_to_the_plain_form(
    admin: Person, reader: Reader
) -> None:
    text = admin.text(ARTICLE)
    change = change_in(text)
    reader.read(ARTICLE)
    admin.edit(ARTICLE, text.replace(change.old, "<ref>A book.</ref>"))

    reader.edit(change)

    tab = reader.tab
    dialog = tab.get_by_role("dialog", name="The change could not be filled in")
    expect(dialog).to_contain_text("has been edited since")
    assert change.new in dialog.locator("pre").inner_text()
    with tab.context.expect_page() as popup:
        dialog.get_by_role("link", name="Open the section").click()
    form = popup.value
    assert "A book." in form.input_value("#wpTextbox1")
    assert form.locator("#wikiPreview .mw-parser-output").count() == 0
    assert form.input_value("input[name=wpSection]") == str(change.section)


def test_a_section_that_has_moved_is_still_found(admin: Person, reader: Reader) -> None:
    text = admin.text(ARTICLE)
    change = change_in(text)
    reader.read(ARTICLE)
    first = text.index("\n==") + 1
    grown = f"{text[:first]}== New ==\nAll new.\n\n{text[first:]}"
    admin.edit(ARTICLE, grown)

    reader.fills_in(change)
    reader.save()

    assert admin.text(ARTICLE) == grown.replace(change.old, change.new)


def test_a_page_that_the_reader_may_not_edit_says_so(
    admin: Person, reader: Reader
) -> None:
    admin.post("protect", title=ARTICLE, protections="edit=sysop")
    change = change_in(admin.text(ARTICLE))
    reader.read(ARTICLE)

    reader.edit(change)

    dialog = reader.tab.get_by_role("dialog")
    expect(dialog).to_contain_text("You cannot edit this section")


@pytest.fixture(scope="module")
def scripted(chromium: Browser) -> Page:
    """Return a page of nothing but the script."""
    tab = chromium.new_page()
    tab.add_script_tag(content=bundle("wiki_edit.js", {}))
    return tab


@pytest.mark.parametrize(
    ("text", "edit", "expected"),
    [
        ("a b c", {"before": "a ", "old": "b", "new": "B", "after": " c"}, "a B c"),
        ("a b c", {"before": "a ", "old": "", "new": "!", "after": "b"}, "a !b c"),
        ("a b a b", {"before": "a ", "old": "b", "new": "B", "after": ""}, None),
        ("aaa", {"before": "", "old": "aa", "new": "b", "after": ""}, None),
        ("a b c", {"before": "x", "old": "b", "new": "B", "after": ""}, None),
        ("a b c", {"before": "", "old": "", "new": "B", "after": ""}, None),
        (
            "x $& y",
            {"before": "x ", "old": "$&", "new": "$1$&$$", "after": ""},
            "x $1$&$$ y",
        ),
        ("🕰 é\nz", {"before": "🕰 ", "old": "é\n", "new": "e", "after": "z"}, "🕰 ez"),
    ],
)
def test_a_change_is_made_where_it_fits_exactly_once(
    scripted: Page, text: str, edit: dict[str, Any], expected: str | None
) -> None:
    got = scripted.evaluate(
        "given => window.sidenote.wiki_edit.applied( given[ 0 ], given[ 1 ] )",
        [text, edit],
    )

    assert got == expected


def last_revision(person: Person, title: str) -> dict[str, Any]:
    answer = person.get(
        action="query", titles=title, prop="revisions", rvprop="comment|user|ids"
    )
    revision: dict[str, Any] = answer["query"]["pages"][0]["revisions"][0]
    return revision


REPORT = """given => mw.loader.using( given.modules ).then( () => {
    const page = {
        wiki: location.host, title: mw.config.get( 'wgPageName' ).replace( /_/g, ' ' ),
        revision: mw.config.get( 'wgRevisionId' )
    };
    const actions = window.sidenote.actions.create( {
        mw, page, api: null, identity: { token: () => null }
    } );
    window.reported = actions.report( Object.assign( given.card, { title: page.title } ) );
} )"""


def test_a_report_of_a_problem_is_filled_in_and_read_again(
    admin: Person, reader: Reader
) -> None:
    reader.read(ARTICLE)
    aged = MessageShown(key="kind-aged", english="The figure may be outdated")
    of_a_newer_kind = card(kind="aged").model_dump(mode="json")
    of_a_newer_kind["note"] = {"headline": aged.model_dump(mode="json")}
    arguments = {"modules": MODULES, "card": of_a_newer_kind}

    with reader.tab.context.expect_page() as popup:
        reader.tab.evaluate(REPORT, arguments)
    form = popup.value
    form.wait_for_selector("#wikiPreview .mw-parser-output")
    if folder := os.environ.get("SIDENOTE_PICTURES"):
        form.screenshot(path=f"{folder}/report.png", full_page=True)
    box = form.locator("#wpTextbox1")
    box.fill(box.input_value().replace("~~~~", "The source says so. ~~~~"))
    form.click("#wpSave")
    form.wait_for_load_state()

    text = admin.text("User:SidenoteBot/Reports")
    [found] = reports_of(text)
    assert text.startswith(f"== Problem with a note on [[:{ARTICLE}]] ==")
    assert (found.identity, found.answer) == (card().id, None)
    assert aged.english in text
    assert found.revision is not None
    answered = text.replace("wrong or fixed -->", "wrong or fixed --> wrong")
    assert [one.answer for one in reports_of(answered)] == [ReportAnswer.WRONG]
