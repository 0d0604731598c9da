"""The messages of `i18n/`, and which of them a script uses.

A key counts as used where it stands in quotes, alone, anywhere in a script: in a call
(`msg( 'close' )`) or in a table that leads to one. A key that is put together is
declared in a comment: `// Messages: verdict-*, reason-*`.
"""

import json
import re
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from importlib.resources import files

PREFIX = "sidenote-"
SOURCE = "en"
NOTES = "qqq"  # what translators are told, as MediaWiki calls it
Texts = Mapping[str, Mapping[str, str]]
_WORD = re.compile(r"""(['"])([a-z0-9][a-z0-9-]*)\1""")
_DECLARED = re.compile(r"//\s*Messages:\s*(.+)$", re.M)
_CALLED = re.compile(r"\b(?:msg|content)\s*\(\s*'([^']*)'\s*[,)]")


def read_messages() -> dict[str, dict[str, str]]:
    """Return the messages by language and key; keys as the files have them."""
    found = {}
    folder = files("gadget") / "i18n"
    for file in sorted(folder.iterdir(), key=lambda each: each.name):
        if file.name.endswith(".json"):
            kept = json.loads(file.read_text("utf-8"))
            kept.pop("@metadata", None)
            found[file.name.removesuffix(".json")] = kept
    return found


def used(texts: Iterable[str], keys: Iterable[str]) -> frozenset[str]:
    """Return those of `keys` (without the prefix) that the scripts' texts use."""
    words: set[str] = set()
    patterns: list[str] = []
    for text in texts:
        words.update(word for _, word in _WORD.findall(text))
        for declared in _DECLARED.findall(text):
            patterns.extend(part.strip() for part in declared.split(","))
    return frozenset(
        key
        for key in keys
        if key in words or any(fnmatchcase(key, pattern) for pattern in patterns)
    )


def called(text: str) -> frozenset[str]:
    """Return the keys that a script's text names where it asks for a message."""
    return frozenset(_CALLED.findall(text))


def selected(messages: Texts, texts: Iterable[str]) -> dict[str, dict[str, str]]:
    """Return by language the messages that the scripts use, without the prefix.

    What another language has not translated is left out; the script falls back.
    """
    source = messages.get(SOURCE, {})
    keys = used(texts, (key.removeprefix(PREFIX) for key in source))
    return {
        language: {
            key: own[f"{PREFIX}{key}"]
            for key in sorted(keys)
            if f"{PREFIX}{key}" in own
        }
        for language, own in sorted(messages.items())
        if language != NOTES
    }
