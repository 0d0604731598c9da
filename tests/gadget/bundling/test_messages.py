"""The messages of all languages: whole, in agreement, in use, and only words."""

import re
import unicodedata
from collections.abc import Iterator
from importlib.resources import as_file, files

from gadget.bundle import (
    NOTES,
    PREFIX,
    SOURCE,
    read_messages,
    read_sources,
    used,
)
from handlers.model import Left

LANGUAGES = ("ar", "de", "en", "es", "fr")
# How many forms PLURAL may have: fewer than a language's own would be wrong words.
FORMS = {"ar": {6}, "de": {2}, "en": {2}, "es": {2, 3}, "fr": {2, 3}}
MESSAGES = read_messages()
# Where a script asks for a message.
_CALLED = re.compile(r"\b(?:msg|content)\s*\(\s*'([^']*)'\s*[,)]")
PLURAL = re.compile(r"\{\{PLURAL:\$(\d)\|([^{}]*)\}\}")


def _messages() -> Iterator[tuple[str, str, str]]:
    """Yield each message with its language and key."""
    for language in LANGUAGES:
        for key, text in MESSAGES[language].items():
            yield language, key, text


# What an edit summary may have, which is no text on a page.
IN_SUMMARY = re.compile(r"\[\[User:\$\d\|Sidenote\]\]|\{\{\$\d\}\}")


def is_summary(key: str) -> bool:
    return key.startswith(f"{PREFIX}summary-")


def placeholders(text: str) -> set[str]:
    return set(re.findall(r"\$\d", text))


def test_every_language_has_its_file() -> None:
    assert set(MESSAGES) == {*LANGUAGES, NOTES}


def test_every_language_has_every_message() -> None:
    for language, messages in MESSAGES.items():
        assert set(messages) == set(MESSAGES[SOURCE]), language
        assert all(text.strip() == text and text for text in messages.values()), (
            language
        )
        assert all(key.startswith(PREFIX) for key in messages), language


def test_placeholders_are_those_of_the_source() -> None:
    for language, key, text in _messages():
        assert placeholders(text) == placeholders(MESSAGES[SOURCE][key]), (
            language,
            key,
        )


def test_translators_are_told_of_every_placeholder() -> None:
    for key, text in MESSAGES[SOURCE].items():
        for each in placeholders(text):
            assert each in MESSAGES[NOTES][key], key


def test_plurals_have_the_forms_of_their_language() -> None:
    for language, key, text in _messages():
        rest = PLURAL.sub("", IN_SUMMARY.sub("", text) if is_summary(key) else text)
        assert "PLURAL" not in rest, (language, key)
        assert "{{" not in rest, (language, key)
        for _, forms in PLURAL.findall(text):
            plain = [form for form in forms.split("|") if not re.match(r"\d+=", form)]
            assert len(plain) in FORMS[language], (
                f"{key} in {language}.json gives {len(plain)} plural forms of"
                f" {sorted(FORMS[language])}; see other messages of that language"
            )


def test_messages_are_words_and_no_markup() -> None:
    for language, key, text in _messages():
        words = IN_SUMMARY.sub("", text) if is_summary(key) else text
        assert not re.search(r"<\w|&\w+;|\[\[|'''|</", words), (language, key)
        assert "nowiki" not in text, (language, key)
        assert unicodedata.is_normalized("NFC", text), (language, key)


def test_no_message_turns_the_direction_of_what_follows() -> None:
    for language, key, text in _messages():
        kinds = [unicodedata.bidirectional(letter) for letter in text]
        assert not {"LRE", "RLE", "LRO", "RLO", "PDF"} & set(kinds), (language, key)
        opened = sum(kind in {"LRI", "RLI", "FSI"} for kind in kinds)
        assert opened == kinds.count("PDI"), (language, key)


def test_every_message_that_scripts_ask_for_is_there() -> None:
    keys = {key.removeprefix(PREFIX) for key in MESSAGES[SOURCE]}
    for name, text in read_sources().scripts.items():
        assert not {*_CALLED.findall(text)} - keys, name


def test_every_message_is_asked_for() -> None:
    keys = {key.removeprefix(PREFIX) for key in MESSAGES[SOURCE]}
    with (
        as_file(files("gadget") / "local_page") as pages,  # made without the script
        as_file(files("gadget") / "pages") as documents,
        as_file(files("bot") / "surfaces") as surfaces,
        as_file(files("bot") / "daemon") as daemon,
        as_file(files("gadget") / "identity") as identity,
    ):
        others = [
            each.read_text("utf-8")
            for folder in (pages, surfaces, daemon, identity)
            for each in folder.rglob("*")
            if each.suffix in {".py", ".js", ".html", ".wiki"}
        ]
        templates = {
            key
            for folder in (documents, surfaces / "wikitext")
            for each in folder.iterdir()
            for key in re.findall(r"SIDENOTE_SAYS\(([a-z-]+)", each.read_text("utf-8"))
        }
    reasons = {f"dossier-left-{one.name.lower().replace('_', '-')}" for one in Left}
    scripts = read_sources().scripts.values()
    assert not keys - templates - reasons - used([*scripts, *others], keys)


def test_every_reason_that_the_backend_sends_is_a_message() -> None:
    named: set[str] = set()
    for room in ("bot", "gadget"):
        with as_file(files(room)) as folder:
            for each in folder.rglob("*.py"):
                named |= set(
                    re.findall(r'"(refusal-[a-z-]+)"', each.read_text("utf-8"))
                )
    own = {key for key in MESSAGES[SOURCE] if key.startswith(f"{PREFIX}refusal-")}

    assert {f"{PREFIX}{key}" for key in named} == own


def test_nothing_is_made_of_text_that_could_be_markup_or_code() -> None:
    never = re.compile(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\s*\("
        r"|new Function|setTimeout\(\s*['\"]|\.html\s*\(|createContextualFragment"
    )
    for name, text in read_sources().scripts.items():
        assert not never.search(text), name


def test_the_files_are_written_as_mediawiki_writes_them() -> None:
    for file in (files("bot") / "i18n").iterdir():
        text = file.read_text("utf-8")
        assert text.startswith('{\n\t"@metadata"'), file.name
        assert text.endswith("}\n"), file.name
