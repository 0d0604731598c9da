"""What is written on a wiki is in its language, with the forms that numbers have there."""

import json
import re
from dataclasses import replace

import mwparserfromhell
import pytest

from bot.surfaces.messages import (
    LANGUAGES,
    Words,
    from_note,
    language_of,
    message,
    to_note,
)
from bot.surfaces.opt_in.watch import PARAMETERS
from bot.surfaces.post_summaries import Summaries, Task, stop_page
from bot.surfaces.shipped import ShippedPage, wiki_pages
from bot.surfaces.talk_page import plan
from bot.wiki.escaping import WikiSafe
from bot.wiki.keys import posts_in
from handlers.model import Message
from tests.bot.surfaces.makers import POST, TALK, note
from tests.bot.wiki.markup.makers import BOT, KEYS


@pytest.mark.parametrize(
    ("wiki", "language"),
    [
        ("de.wikipedia.org", "de"),
        ("ar.m.wikipedia.org", "ar"),
        ("de-formal.wikipedia.org", "de"),
        ("nn.wikipedia.org", "en"),
        ("127.0.0.1:8180", "en"),
        ("fr.example.org", "en"),
    ],
)
def test_a_wiki_is_written_to_in_its_own_language(wiki: str, language: str) -> None:
    assert language_of(wiki) == language


@pytest.mark.parametrize(
    ("language", "count", "words"),
    [
        ("en", 0, "There are no notes as of today."),
        ("en", 1, "1 note as of today."),
        ("de", 2, "2 Hinweise, Stand: today."),
        ("fr", 0, "Aucune note au today."),
        ("fr", 1, "1 note au today."),
        ("es", 21, "21 notas a fecha de today."),
        ("ar", 0, "لا ملاحظات حتى <bdi>today</bdi>."),
        ("ar", 2, "ملاحظتان حتى <bdi>today</bdi>."),
        ("ar", 3, "3 ملاحظات حتى <bdi>today</bdi>."),
        ("ar", 11, "11 ملاحظة حتى <bdi>today</bdi>."),
        ("ar", 103, "103 ملاحظات حتى <bdi>today</bdi>."),
    ],
)
def test_numbers_have_the_forms_of_the_language(
    language: str, count: int, words: str
) -> None:
    assert Words(language).say("report-count", count, WikiSafe("today")) == words


def test_words_in_another_direction_turn_nothing_around_them() -> None:
    words = Words("ar")

    assert "<bdi>a.example</bdi>" in words.say("report-sources", WikiSafe("a.example"))
    assert "<bdi>" not in words.say("report-sources", WikiSafe("كتاب"))
    assert "<bdi>" not in Words("de").say("report-sources", WikiSafe("a.example"))


def test_the_words_of_a_note_are_translated_and_its_values_are_harmless() -> None:
    difference = Message(
        "difference", "$1 in the article, $2 in the source", ("[[22]]", "{{27}}")
    )

    text = Words("de").of(difference)

    assert "im Artikel" in text
    assert "[[" not in text
    assert "{{" not in text
    assert Words("fr").of(Message("", "Only English.")) == "Only English."
    assert Words("fr").of(Message("a-kind-of-tomorrow", "New")) == "New"


def test_sums_of_dollars_are_no_places_for_values() -> None:
    difference = message("difference", "$2 million", "$3 million")

    assert str(difference) == "$2 million in the article, $3 million in the source"


def test_a_message_in_another_is_stored_and_put_in_the_language_of_the_wiki() -> None:
    why = message("draft-none-usable", 3, message("dossier-left-copy"))
    read = from_note(to_note(message("draft-nothing", why)))

    assert str(read).startswith("nothing was drafted: none of the 3 documents")
    assert Words("de").of(read) == (
        "Es wurde nichts entworfen: keines der 3 gefundenen Dokumente ist verwendbar;"
        " häufigster Grund: Kopie eines Wikis oder eines anderen Dokuments"
    )
    assert from_note("the server [1] is away") == Message("", "the server [1] is away")


def test_a_note_keeps_a_detail_beside_its_usual_words() -> None:
    usual = message("refusal-wiki-away", "x" * 300)
    words = replace(usual, english="x.example is busy (500)")

    assert from_note(to_note(words)) == words
    assert from_note(to_note(usual)) == usual


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_there_are_twelve_months(language: str) -> None:
    assert len(Words(language).say("months").split()) == 12


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
