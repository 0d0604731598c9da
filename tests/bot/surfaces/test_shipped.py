"""The templates that ship can be saved on a wiki as they are."""

import json
import re

import mwparserfromhell
import pytest

from bot.surfaces.messages import LANGUAGES
from bot.surfaces.opt_in.watch import PARAMETERS
from bot.surfaces.post_summaries import Summaries, Task, stop_page
from bot.surfaces.shipped import ShippedPage, wiki_pages
from bot.surfaces.talk_page import plan
from bot.wiki.keys import posts_in
from tests.bot.surfaces.makers import POST, TALK, note
from tests.bot.wiki.markup.makers import BOT, KEYS

PAGES = {page.title: page.wikitext for page in wiki_pages(BOT)}


@pytest.mark.parametrize("page", wiki_pages(BOT), ids=lambda page: page.title)
def test_a_page_belongs_to_the_bot(page: ShippedPage) -> None:
    assert page.title.startswith(f"User:{BOT}/")
    assert "SIDENOTE_BOT" not in page.wikitext
    assert "~~~~" not in page.wikitext
    assert page.wikitext.count("{{") == page.wikitext.count("}}")
    assert page.wikitext.count("<includeonly>") == page.wikitext.count("</includeonly>")


@pytest.mark.parametrize("name", ["note", "notice", "watch"])
def test_each_template_shows_its_documentation(name: str) -> None:
    assert (
        f"<noinclude>{{{{User:{BOT}/{name}/doc}}}}</noinclude>"
        in PAGES[f"User:{BOT}/{name}"]
    )
    assert f"User:{BOT}/{name}/doc" in PAGES


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_templates_are_in_the_language_of_the_wiki(language: str) -> None:
    pages = {page.title: page.wikitext for page in wiki_pages(BOT, language)}

    for title, own in pages.items():
        english = PAGES[title]
        assert "SIDENOTE_" not in own
        assert (own == english) is (language == "en" or title.endswith("/watch"))
        assert own.count("{{") == own.count("}}") == english.count("{{")
        assert own.count("[[") == own.count("]]") == english.count("[[")


def test_a_note_is_one_line_without_a_heading() -> None:
    words = PAGES[f"User:{BOT}/note"].strip()

    assert "\n" not in words
    assert "==" not in words


def test_the_template_takes_all_that_the_bot_gives() -> None:
    full = note(citation="c", fact="f", wording="w")
    edit = plan("", [full], {}, TALK, KEYS, own=None).edit
    assert edit is not None
    call = mwparserfromhell.parse(edit.text).filter_templates()[1]

    for parameter in call.params:
        assert f"{{{{{{{parameter.name}" in PAGES[f"User:{BOT}/note"]


@pytest.mark.parametrize("language", sorted(LANGUAGES))
@pytest.mark.parametrize("name", ["about", "note", "notice", "watch"])
def test_each_template_has_template_data_of_all_its_parameters(
    name: str, language: str
) -> None:
    [doc] = (
        page.wikitext
        for page in wiki_pages(BOT, language)
        if page.title == f"User:{BOT}/{name}/doc"
    )
    data = json.loads(doc.partition("<templatedata>")[2].partition("</")[0])

    words = PAGES[f"User:{BOT}/{name}"]
    called = set(re.findall(r"\{\{\{([a-z-]+)[|}]", words))
    taken = set(PARAMETERS) if name == "watch" else called
    assert set(data["params"]) == taken
    assert data["description"]
    assert all(one["description"] for one in data["params"].values())


def test_summaries_are_a_few_words_with_the_way_to_stop_and_the_key_in_it() -> None:
    edit = plan("", [note(1), note(2)], {}, TALK, KEYS, own=None).edit
    assert edit is not None
    summaries = Summaries(BOT, KEYS)

    summary = summaries.talk(edit, POST)

    shown = re.sub(r"\[\[[^|\]]*\|([^\]]*)\]\]", r"\1", summary)
    assert shown == "2 statements may not match the sources (stop)"
    assert f"[[{stop_page(BOT, Task.TALK)}#" in summary
    assert posts_in(summary, KEYS) == {POST[:24]}
    assert "Claim" not in summary
    assert summaries.report(3, POST).startswith("Report: 3 notes ([[")
    assert summaries.state(0, POST).startswith("Answered the template ([[")
    assert summaries.state(2, POST).startswith("Answered the template: 2 problems (")


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("de", "Bericht: 1 Hinweis ([["),
        ("fr", "Rapport : 1 note ([["),
        ("es", "Informe: 1 nota ([["),
        ("ar", "تقرير: ملاحظة واحدة ([["),
    ],
)
def test_summaries_are_in_the_language_of_the_wiki(language: str, words: str) -> None:
    summary = Summaries(BOT, KEYS, language).report(1, POST)

    assert summary.startswith(words)
    assert posts_in(summary, KEYS) == {POST[:24]}
