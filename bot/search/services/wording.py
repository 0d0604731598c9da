"""Makes of a query the words that a service of the web is asked for. Pure.

A claim alone leaves its subject unsaid ("he retired in May"), so the article's title
goes with it, as a phrase. Services that want every word on the page get few of them.
"""

import re

from handlers.citations.cues.words import STOP_WORDS
from handlers.model import Query

_PARENTHESIS = re.compile(r"\s*\([^()]*\)\s*$")
_WORD = re.compile(r"\w[\w'’-]*\w|\w")
_SHORTEST_WORD = 3
_SHORTEST_PHRASE = 6  # characters; GDELT refuses shorter ones
_MOST_ALTERNATIVES = 6


def title_of(query: Query) -> str:
    """Return the article's title without what only tells it from others."""
    return " ".join(_PARENTHESIS.sub("", query.title).replace('"', " ").split())


def in_words(query: Query, *, most_words: int, most_chars: int) -> str:
    """Return words for a service that ranks pages by how well they fit."""
    title, claim = title_of(query), " ".join(query.claim.replace('"', " ").split())
    head = f'"{title}"' if " " in title else title
    if title.casefold() == claim.casefold():
        text = head
    elif title.casefold() in claim.casefold():
        text = claim
    else:
        text = f"{head} {claim}"
    return _cut(text, most_words, most_chars)


def in_boolean(query: Query, *, most_chars: int) -> str:
    """Return words for a service that wants all of them, but one of those in parens."""
    name = " ".join(_WORD.findall(title_of(query)))
    own = {word.casefold() for word in name.split()}
    others = [word for word in _content(query.claim) if word.casefold() not in own]
    if not name:
        return _cut(" ".join(others[:_MOST_ALTERNATIVES]), 50, most_chars)
    is_phrase = " " in name and len(name) >= _SHORTEST_PHRASE
    phrase = f'"{name}"' if is_phrase else name
    chosen = others[:_MOST_ALTERNATIVES]
    while chosen and len(_with(phrase, chosen)) > most_chars:
        chosen.pop()
    return _with(phrase, chosen)


def _with(phrase: str, chosen: list[str]) -> str:
    if not chosen:
        return phrase
    return (
        f"{phrase} ({' OR '.join(chosen)})" if chosen[1:] else f"{phrase} {chosen[0]}"
    )


def _content(text: str) -> list[str]:
    """Return the words that tell pages apart, each once: names and numbers first."""
    found = dict.fromkeys(
        word
        for word in re.findall(r"\w+", text)
        if len(word) >= _SHORTEST_WORD and word.casefold() not in STOP_WORDS
    )
    # Python's sort is stable: otherwise as in the sentence.
    return sorted(found, key=lambda word: not (word[0].isupper() or word[0].isdigit()))


def _cut(text: str, most_words: int, most_chars: int) -> str:
    words = text.split()[:most_words]
    while words and len(" ".join(words)) > most_chars:
        words.pop()
    cut = " ".join(words) or text[:most_chars]
    return cut + '"' if cut.count('"') % 2 else cut
