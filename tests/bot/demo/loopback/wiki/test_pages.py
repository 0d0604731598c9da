"""The pages of the test wiki in a real browser."""

import pytest
from playwright.sync_api import Browser

from bot.demo.loopback.wiki.serving import Wiki
from tests.bot.writing.people import Person

pytestmark = [pytest.mark.mediawiki, pytest.mark.browser]
_ARTICLES = (
    "2011 Sawyerville–Eoline tornado",
    "2020 Jonesboro tornado",
    "Edwardsville Amazon warehouse collapse",
    "Parasitic ant",
)


@pytest.fixture(scope="module")
def shown(wiki: Wiki) -> Wiki:
    wiki.reset()  # once: what is remembered of scripts goes, too
    return wiki


@pytest.mark.parametrize("title", _ARTICLES)
def test_an_article_stands_there_with_its_references(
    shown: Wiki, chromium: Browser, title: str
) -> None:
    troubles: list[str] = []
    tab = chromium.new_page()
    tab.on("console", lambda texts: troubles.append(texts.text))
    tab.on("pageerror", lambda error: troubles.append(str(error)))

    tab.goto(f"http://{shown.host}/wiki/{title.replace(' ', '_')}")

    cited = "'ol.references > li .reference-text'"
    texts = tab.eval_on_selector_all(
        cited.strip("'"), "all => all.map(e => e.innerText)"
    )
    missing = tab.eval_on_selector_all(
        "a.new",
        "all => all.map(e => decodeURI(e.href)).filter(h => h.includes('Template:'))",
    )
    faults = tab.locator(".error, .mw-ext-cite-error, .scribunto-error").count()
    tab.close()
    assert len(texts) > 5
    assert all(texts)
    assert (missing, faults, troubles) == ([], 0, [])


def test_the_start_page_has_the_steps_with_the_call_to_copy(
    shown: Wiki, chromium: Browser
) -> None:
    tab = chromium.new_page()
    tab.goto(f"http://{shown.host}/wiki/Project:Start")

    steps = tab.locator("ol > li")
    texts = steps.all_inner_texts()
    call = tab.locator("ol pre").inner_text()
    tab.close()

    assert len(texts) == 6
    assert (
        call
        == "{{User:SidenoteBot/watch |pages=2020 Jonesboro tornado |surface=report}}"
    )


def test_a_gadget_of_the_wiki_runs(
    fresh: Wiki, admin: Person, chromium: Browser
) -> None:
    admin.edit("MediaWiki:Gadgets-definition", "* lamp[ResourceLoader|default]|lamp.js")
    admin.edit("MediaWiki:Gadget-lamp.js", "document.title = `lit: ${ 1 + 1 }`;")
    tab = chromium.new_page()

    tab.goto(f"http://{fresh.host}/wiki/Parasitic_ant")

    tab.wait_for_function("document.title === 'lit: 2'")
    tab.close()
