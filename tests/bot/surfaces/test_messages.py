"""What is written on a wiki is in its language, with the forms that numbers have there."""

from dataclasses import replace

import pytest

from bot.surfaces.messages import (
    LANGUAGES,
    Words,
    from_note,
    language_of,
    message,
    to_note,
)
from bot.wiki.escaping import WikiSafe
from handlers.model import Message


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


def test_a_message_in_another_is_stored_and_put_in_the_language_of_the_wiki() -> None:
    why = message("draft-none-usable", 3, message("dossier-left-copy"))
    kept = from_note(to_note(message("draft-nothing", why)))

    assert str(kept).startswith("nothing was drafted: none of the 3 documents")
    assert Words("de").of(kept) == (
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
