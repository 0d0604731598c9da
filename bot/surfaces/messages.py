"""Texts that are written on a wiki, in the language of the wiki.

The messages are those of `bot/i18n`, which the panel also uses. An untranslated message
is in English. Longer texts are templates of wikitext (`*.wiki`) with `<< value >>` and
`<% if … %>`, because braces mean something to a wiki. No value in them does: each that
is not `WikiSafe` is escaped when it is put in, also what filters and operators make of
safe values; it is escaped twice rather than not at all. Pure, except
that it reads these files once.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from html import escape
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from bot.wiki.escaping import WikiSafe, text
from handlers.model import Message


def _escaped(value: object) -> WikiSafe:
    """Return a value as it can stand in wikitext."""
    return value if isinstance(value, WikiSafe) else text(str(value))


@cache
def templates() -> Environment:
    """Return the templates, each compiled once."""
    return Environment(
        loader=PackageLoader("bot.surfaces"),
        variable_start_string="<<",
        variable_end_string=">>",
        block_start_string="<%",
        block_end_string="%>",
        comment_start_string="<#",
        comment_end_string="#>",
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_escaped,
        autoescape=False,  # noqa: S701 - it is no HTML; `finalize` escapes
    )


SOURCE = "en"
LANGUAGES = frozenset({"ar", "de", "en", "es", "fr"})
_RIGHT_TO_LEFT = frozenset({"ar"})
# Words that have letters, none of them Hebrew or Arabic.
_LEFT_TO_RIGHT = re.compile("[^\u0590-\u08ff]*[A-Za-z][^\u0590-\u08ff]*")
_PREFIX = "sidenote-"
_PROJECT = re.compile(r"([a-z-]+)(?:\.m)?\.(?:wikipedia|wiktionary|wikivoyage)\.org")
_PLURAL = re.compile(r"\{\{PLURAL:\$(\d)\|([^{}]*)\}\}")
_PLACE = re.compile(r"\$(\d)")
_EXACT = re.compile(r"(\d+)=(.*)", re.DOTALL)


def language_of(wiki: str) -> str:
    """Return the language in which to write to a wiki, by its host name."""
    found = _PROJECT.fullmatch(wiki.lower())
    code = found[1].partition("-")[0] if found else SOURCE
    return code if code in LANGUAGES else SOURCE


_PREFERENCE = re.compile(
    r"\s*([A-Za-z]{1,8})[A-Za-z0-9-]*\s*(?:;\s*q=([01](?:\.\d{0,3})?))?"
)
_MOST_PREFERENCES = 20


def language_wanted(accept_language: str) -> str:
    """Return the language that a browser prefers, by its `Accept-Language`."""
    best, weight = SOURCE, 0.0
    for part in accept_language.split(",")[:_MOST_PREFERENCES]:
        found = _PREFERENCE.match(part)
        if found and (language := found[1].lower()) in LANGUAGES:
            given = float(found[2] or 1)
            if given > weight:
                best, weight = language, given
    return best


def message(key: str, *values: str | int | Message) -> Message:
    """Return a message of `bot/i18n`; its `str` is the English text, for logs.

    Raises:
        KeyError: there is no such message.
    """
    english = _with_plurals(_texts(SOURCE)[f"{_PREFIX}{key}"], values, SOURCE)
    return Message(key, english, values)


def to_note(words: Message) -> str:
    """Return a message as text to be stored; `from_note` reads it."""
    return json.dumps(words, default=_stored, ensure_ascii=False)


def _stored(words: Message) -> dict[str, Any]:
    stored: dict[str, Any] = {"key": words.key, "values": words.values}
    if words.english != message(words.key, *words.values).english:
        stored["english"] = words.english  # a detail in place of the usual text
    return stored


def from_note(note: str) -> Message:
    """Return a message that was stored; other words are a message of their own."""
    try:
        return _restored(json.loads(note))
    except (ValueError, TypeError, KeyError):
        return Message("", note)


def _restored(given: Mapping[str, Any]) -> Message:
    values = (
        _restored(one) if isinstance(one, dict) else one for one in given["values"]
    )
    usual = message(given["key"], *values)
    return replace(usual, english=given.get("english", usual.english))


@dataclass(frozen=True, slots=True)
class Words:
    """Messages in one language."""

    language: str = SOURCE

    @property
    def direction(self) -> str:
        """In which direction they are read: `ltr` or `rtl`."""
        return "rtl" if self.language in _RIGHT_TO_LEFT else "ltr"

    def say(self, key: str, *values: WikiSafe | int) -> WikiSafe:
        """Return a message as wikitext, with `values` for $1, $2 and so on.

        Raises:
            KeyError: there is no such message.
        """
        isolated = [
            one if isinstance(one, int) else self.isolated(one) for one in values
        ]
        words = _with_plurals(self._chosen(key), isolated, self.language)
        return WikiSafe(_placed(words, isolated))

    def isolated(self, words: WikiSafe) -> WikiSafe:
        """Return `words` so that their direction does not turn what is around them."""
        is_turned = self.language in _RIGHT_TO_LEFT and _LEFT_TO_RIGHT.fullmatch(words)
        return WikiSafe(f"<bdi>{words}</bdi>") if is_turned else words

    def fill(self, template: str, /, **values: object) -> WikiSafe:
        """Return a template of this room with values and messages in this language.

        In it `say` and `of` give messages; whatever is put into one is escaped.
        """

        def say(key: str, *given: object) -> WikiSafe:
            return self.say(
                key, *(one if isinstance(one, int) else _escaped(one) for one in given)
            )

        page = templates().get_template(template).render(say=say, of=self.of, **values)
        return WikiSafe(page.rstrip("\n"))

    def of(self, message: Message | str) -> WikiSafe:
        """Return a message, or words that are the same in every language; untrusted."""
        if isinstance(message, str):
            return text(message)
        name = f"{_PREFIX}{message.key}"
        if not message.key or self.language == SOURCE or name not in _texts(SOURCE):
            return text(str(message))
        values = (
            one if isinstance(one, int) else self.of(one) for one in message.values
        )
        return self.say(message.key, *values)

    def plain(self, message: Message) -> str:
        """Return a message as plain text, for lines that people save."""
        values = [
            self.plain(one) if isinstance(one, Message) else str(one)
            for one in message.values
        ]
        return _placed(self._template(message), values)

    def html(self, message: Message) -> str:
        """Return a message as HTML; its values are untrusted."""
        values = [
            f"<bdi>{self.html(one) if isinstance(one, Message) else escape(str(one))}</bdi>"
            for one in message.values
        ]
        return _placed(escape(self._template(message), quote=False), values)

    def _template(self, message: Message) -> str:
        is_known = f"{_PREFIX}{message.key}" in _texts(SOURCE)
        if self.language == SOURCE or not is_known:
            return message.english
        return _with_plurals(self._chosen(message.key), message.values, self.language)

    def _chosen(self, key: str) -> str:
        name = f"{_PREFIX}{key}"
        return _texts(self.language).get(name) or _texts(SOURCE)[name]


def pattern_of(key: str, language: str) -> re.Pattern[str]:
    """Return a pattern for a message with any values; the message has no plural."""
    words = _texts(language).get(f"{_PREFIX}{key}") or _texts(SOURCE)[f"{_PREFIX}{key}"]
    return re.compile(".{0,500}?".join(map(re.escape, _PLACE.split(words)[::2])))


def _placed(words: str, values: Sequence[str | int]) -> str:
    known = {f"${number}": str(value) for number, value in enumerate(values, 1)}
    return _PLACE.sub(lambda found: known.get(found[0], found[0]), words)


def _with_plurals(
    words: str, values: Sequence[str | int | Message], language: str
) -> str:
    def plural(found: re.Match[str]) -> str:
        count = int(str(values[int(found[1]) - 1]))
        return _form(count, found[2].split("|"), language)

    return _PLURAL.sub(plural, words)


def _form(count: int, forms: list[str], language: str) -> str:
    """Return the form for a number, chosen as MediaWiki does."""
    plain = []
    for form in forms:
        exact = _EXACT.fullmatch(form)
        if exact is None:
            plain.append(form)
        elif int(exact[1]) == count:
            return exact[2]
    return plain[min(_plural(count, language), len(plain) - 1)]


def _plural(count: int, language: str) -> int:
    """Return the index of a number's plural form in a language (Unicode CLDR)."""
    if language == "fr":
        return int(count > 1)
    if language != "ar":
        return int(count != 1)
    if count <= 2:  # noqa: PLR2004 - none, one, two
        return count
    rest = count % 100
    return 3 if 3 <= rest <= 10 else 4 if rest >= 11 else 5  # noqa: PLR2004 - see CLDR


@lru_cache(maxsize=len(LANGUAGES))
def _texts(language: str) -> Mapping[str, str]:
    message = (files("bot") / "i18n" / f"{language}.json").read_text("utf-8")
    return MappingProxyType(json.loads(message))
