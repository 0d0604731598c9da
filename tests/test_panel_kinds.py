"""Each kind of note on a real wiki, from its card to a person's own saved edit.

The edit is the person's, with an account or without one; the bot only looks at the
page again, and then the note is gone wherever it stood.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect, sync_playwright

from tests.demo_program import Person, demo
from tests.panel_place import (
    ARTICLES,
    COPY,
    OTHER,
    REPORT,
    Article,
    beside_it,
    open_here,
    open_panel,
    put_in,
    sign_in,
    watch,
    write,
)
from tests.rig.browser import open_chromium
from tests.rig.wiki.mediawiki import mediawiki_here

# Newer facts wait in a queue only where they are asked for.
_ARTICLES = [each for each in ARTICLES if each.kind != "out of date"]

pytestmark = pytest.mark.mediawiki

_SINCE = f"|date={datetime.now(UTC):%B %Y}"
_BY = "([[User:SidenoteBot|Sidenote]])"
_NOTES = 2 * sum(article.kind != "gone" for article in _ARTICLES)


@dataclass(frozen=True)
class Edit:
    """What a card says, what its button offers, and what comes of that."""

    says: str
    button: str
    old: str  # of the citation
    new: str
    summary: str


def _tag(says: str, name: str, old: str = "</ref>", gap: str = "") -> Edit:
    tag = f"{gap}{{{{{name}{_SINCE}}}}}"
    new = f"}}}}{tag}</ref>" if gap else f"</ref>{tag}"
    summary = f"Added {{{{{name}}}}} {_BY}"
    return Edit(says, f"Add {{{{{name}}}}}", old, new, summary)


_WORK = "“Arkansas Yearly Climate Summary”"
_CITED = f"Cited {_WORK} {_BY}"
_UNSOURCED = "{{cite web |url=https://news.example/2020 |title=The year 2020}}"
_COPIED = f"|archive-url={COPY}|archive-date=2021-03-01|url-status=deviated}}}}"
EDITS = {
    "contradicted": _tag("Contradicted by the source", "Failed verification"),
    "not supported": _tag("Not supported by the source", "Failed verification"),
    "partially supported": _tag("Only partially supported", "Failed verification"),
    "archived": Edit(
        "The archived copy of the same source says it",
        "Use the archived copy",
        "}}",
        _COPIED,
        f"Added an archived copy of “The year 2020” {_BY}",
    ),
    "replaced": Edit(
        "Another source says it", f"Cite {_WORK}", _UNSOURCED, OTHER, _CITED
    ),
    "added": Edit(
        "Another source says it",
        f"Cite {_WORK}",
        "</ref>",
        f"</ref><ref>{OTHER}</ref>",
        _CITED,
    ),
    "gone": _tag("The source no longer exists", "Dead link", "}}</ref>", " "),
}


@dataclass
class _Readers:
    """Somebody without an account, and Alice, who asked for notes."""

    anonymous: Person
    alice: Person
    reports: Person  # Alice again, in a second tab


@pytest.fixture(scope="module")
def readers() -> Iterator[_Readers]:
    mediawiki_here()
    with (
        demo() as running,
        beside_it(running) as store,
        sync_playwright() as playwright,
        open_chromium(playwright) as chromium,
    ):
        address = running.wiki
        somebody, alice, bob = (
            Person(chromium.new_context().new_page(), address) for _ in range(3)
        )
        write(bob.log_in("Bob"), {each.title: each.wikitext for each in _ARTICLES})
        watch(alice.log_in("Alice"), [article.title for article in _ARTICLES])
        for article in _ARTICLES:
            put_in(store, address.removeprefix("http://"), article)
        yield _Readers(somebody, alice, Person(alice.tab.context.new_page(), address))


def _item(panel: Locator, article: Article, number: int) -> Locator:
    """Return the card of a note, or its place among what could not be checked."""
    for more in (".sidenote-unchecked > summary", ".sidenote-chip[aria-pressed=false]"):
        for each in panel.locator(f"{more}:visible").all():
            each.click()
    items = ".sidenote-card:visible", ".sidenote-unchecked__item:visible"
    claim = panel.page.locator(".sidenote-claim", has_text=article.words[number])
    return panel.locator(", ".join(items)).filter(has=claim)


def test_the_queue_has_all_that_is_to_be_decided(
    readers: _Readers, tmp_path: Path
) -> None:
    tab = readers.alice.tab
    readers.alice.read("Special:BlankPage/sidenote")

    sign_in(readers.alice)

    progress = tab.locator(".sidenote-queue__progress span")
    expect(progress).to_have_text(f"1 of {_NOTES}")
    tab.screenshot(path=tmp_path / "queue.png")
    tab.keyboard.press("n")
    expect(progress).to_have_text(f"2 of {_NOTES}")


@pytest.mark.parametrize("article", _ARTICLES, ids=lambda article: article.kind)
def test_a_person_saves_the_edit_of_a_card_and_it_goes(
    readers: _Readers, article: Article, tmp_path: Path
) -> None:
    wanted = EDITS[article.kind]
    for number, person in enumerate((readers.anonymous, readers.alice)):
        before = person.source(article.title)
        panel = open_panel(person, article.title)
        item = _item(panel, article, number).filter(has_text=wanted.says)
        expect(item).to_have_count(1)
        person.tab.screenshot(path=tmp_path / f"card-{number}.png")

        item.get_by_role("button", name=wanted.button).click()
        person.tab.wait_for_selector("#wikiPreview .mw-parser-output")
        # What it writes is on this wiki: no template of it is a red link.
        expect(person.tab.locator("#wikiPreview a.new")).to_have_count(0)
        assert person.tab.input_value("#wpSummary") == wanted.summary
        person.tab.click("#wpSave")
        person.tab.wait_for_url("**/wiki/**")

        cited = article.cited.replace(wanted.old, wanted.new)
        sentence = article.sentences[number]
        changed = before.replace(sentence + article.cited, sentence + cited)
        assert person.source(article.title) == changed != before
        panel = open_here(person)
        # The claim may still stand in the list of links that are dead.
        left = _item(panel, article, number).get_by_role("button", name=wanted.button)
        expect(left).to_have_count(0)


@pytest.mark.parametrize(
    "article", [each for each in _ARTICLES if each.kind != "gone"], ids=lambda a: a.kind
)
def test_the_bots_own_check_takes_it_from_the_report(
    readers: _Readers, article: Article
) -> None:
    readers.reports.waits_for(
        REPORT, lambda text: not any(each in text for each in article.sentences)
    )


def test_nothing_is_left_in_the_queue(readers: _Readers, tmp_path: Path) -> None:
    readers.alice.read("Special:BlankPage/sidenote")

    expect(readers.alice.tab.get_by_text("Your queue is empty")).to_be_visible()
    readers.alice.tab.screenshot(path=tmp_path / "queue.png")
