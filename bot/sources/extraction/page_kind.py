"""Tells by its words whether a short English page is a text at all.

A page that answers 200 with an error message, a login form, an archive's banner or a
menu would be judged as if it were the source. The words of such pages are learned
(`models/pages.md` tells from what, and how well); the rules of `classify` see what
only markup shows, and the same in other languages. Pure but for reading the model.
"""

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import pairwise

from bot.sources.extraction.languages import languages_of
from handlers.model import SourceOutcome

LONGEST = 4000  # characters; a longer page is taken for what it shows
SHORTEST = 60  # characters; a lone sentence is short like a menu, and says something
_PAGE = "page"
_ENGLISH = "en"
_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?|\d+")
_SENTENCE_BREAK = re.compile(r"(?<=[.!?])[\s\"”’)]+|\n")
_LEAST_SENTENCE = 40  # characters
_LONGEST_NUMBER = 5  # digits beyond these tell nothing more
_OUTCOMES = {
    "boilerplate": (
        SourceOutcome.BOILERPLATE,
        "the page shows menus, contact details or a banner, and no text",
    ),
    "bot_check": (
        SourceOutcome.BOT_CHECK,
        "the site turns programs away or wants its visitor to prove to be human",
    ),
    "cookie_wall": (
        SourceOutcome.COOKIE_WALL,
        "the page asks for consent before it shows its text",
    ),
    "empty_shell": (
        SourceOutcome.EMPTY_SHELL,
        "the page shows its text only in a browser that runs scripts",
    ),
    "login_wall": (
        SourceOutcome.LOGIN_WALL,
        "the page asks to log in or subscribe before it shows its text",
    ),
    "soft_404": (
        SourceOutcome.SOFT_404,
        "the page says that it was not found or that something went wrong",
    ),
}


@dataclass(frozen=True, slots=True)
class _Model:
    """A logistic regression: for each feature a weight for each kind of page."""

    kinds: tuple[str, ...]
    threshold: float  # of the probability that it is a page of text
    intercepts: tuple[float, ...]
    measures: Mapping[str, tuple[float, ...]]
    words: Mapping[str, tuple[float, ...]]


def what_stands_there(title: str, text: str) -> tuple[SourceOutcome, str] | None:
    """Return what a page shows in the place of a text; `None` if it shows one.

    Args:
        title: of the page; may be empty.
        text: what the page shows outside its menus, as far as these are known.
    """
    shown = text if text.startswith(title) else f"{title}\n{text}"
    if not SHORTEST <= len(text) <= LONGEST or not _may_be_english(shown):
        return None
    likely = probabilities(shown)
    if likely[_PAGE] >= _model().threshold:
        return None
    kind = max((one for one in likely if one != _PAGE), key=likely.__getitem__)
    return _OUTCOMES[kind]


def probabilities(text: str) -> dict[str, float]:
    """Return how likely a text is to be each kind of page."""
    model = _model()
    words = words_of(text[:LONGEST])
    present = terms_of(words)
    scores = list(model.intercepts)
    for name in present & model.words.keys():
        scores = [a + b for a, b in zip(scores, model.words[name], strict=True)]
    for name, value in measures_of(text[:LONGEST], words).items():
        weights = model.measures[name]
        scores = [a + value * b for a, b in zip(scores, weights, strict=True)]
    top = max(scores)
    shares = [math.exp(score - top) for score in scores]
    return {
        kind: share / sum(shares)
        for kind, share in zip(model.kinds, shares, strict=True)
    }


def _may_be_english(text: str) -> bool:
    languages = languages_of(text)
    return not languages or languages[0].code == _ENGLISH


def words_of(text: str) -> list[str]:
    """Return the words in lower case; of a number, how long it is."""
    found = _WORD.findall(text.lower().replace("’", "'"))
    return [
        "#" * min(len(word), _LONGEST_NUMBER) if word.isdigit() else word
        for word in found
    ]


def terms_of(words: list[str]) -> set[str]:
    """Return the words and the pairs of neighbours, each once."""
    return {*words, *(" ".join(pair) for pair in pairwise(words))}


def measures_of(text: str, words: list[str]) -> dict[str, float]:
    """Return what no single word tells, each about as large as one."""
    parts = (part for part in _SENTENCE_BREAK.split(text) if part)
    sentences = [
        part.strip()
        for part in parts
        if len(part) >= _LEAST_SENTENCE and part.rstrip('"”’) ')[-1:] in (".", "!", "?")
    ]
    chars, count = len(text) or 1, len(words) or 1
    return {
        "log of characters": math.log(len(text) + 1) / 8,
        "share in sentences": sum(map(len, sentences)) / chars,
        "log of sentences": math.log(1 + len(sentences)),
        "mean line length": math.log(1 + len(text) / (text.count("\n") + 1)) / 5,
        "share of numbers": sum(word[0] == "#" for word in words) / count,
        "share of distinct words": len(set(words)) / count,
        "share of capitals": sum(map(str.isupper, text)) / chars,
    }


def sentences_of(text: str) -> list[str]:
    """Return the stretches that are long enough and end as a sentence does."""
    return [
        part.strip()
        for part in _SENTENCE_BREAK.split(text)
        if len(part) >= _LEAST_SENTENCE and part.rstrip('"”’) ')[-1:] in (".", "!", "?")
    ]


@cache
def _model() -> _Model:
    file = files("bot.models").joinpath("files", "pages.json")
    fields = json.loads(file.read_text("utf-8"))
    return _Model(
        kinds=tuple(fields["kinds"]),
        threshold=fields["threshold"],
        intercepts=tuple(fields["intercepts"]),
        measures={name: tuple(row) for name, row in fields["measures"].items()},
        words={name: tuple(row) for name, row in fields["words"].items()},
    )
