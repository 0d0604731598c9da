"""Turns a claim that its source bears out into one that it does not.

A first probe learned other pages and missing words from such examples at once, and
names and values that stand elsewhere in the same passage not at all; those are what
a reader would catch. So the values put in are taken from the evidence itself
wherever it has any.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeAlias

from bot.training.verifier.pair import Mark
from handlers.citations.cues.names import Name
from handlers.citations.cues.reading import Reading
from handlers.citations.cues.words import Word

# Shares of supported, refuted and not enough information after each change: another
# number usually contradicts the source, another name as often is just not there.
NUMBER = (0.0, 0.75, 0.25)
NAME = (0.0, 0.5, 0.5)
EXCHANGED = (0.0, 0.6, 0.4)
NEGATED = (0.0, 0.9, 0.1)

_AUXILIARY_WORDS = "was were is are has had did will can could would"
_AUXILIARIES = frozenset(_AUXILIARY_WORDS.split())
_OPPOSITES = {
    one: other
    for pair in (
        "first last", "more fewer", "most least", "higher lower", "highest lowest",
        "increased decreased", "rose fell", "won lost", "before after",
        "largest smallest", "larger smaller", "above below", "opened closed",
        "accepted rejected", "began ended", "north south", "east west", "male female",
        "northern southern", "eastern western", "founded dissolved", "joined left",
        "older younger", "oldest youngest", "best worst", "success failure",
        "positive negative", "majority minority", "includes excludes", "only also",
        "approved rejected", "major minor", "early late", "longest shortest",
    )
    for one, other in (pair.split(), reversed(pair.split()))
}  # fmt: skip
_MONTH_NAMES = """
    January February March April May June July August September October November
    December
"""
_MONTHS = _MONTH_NAMES.split()
_FAR_YEARS = 12
_YEAR_DIGITS = 4
_YEARS = range(1001, 2100)
_FROM_EVIDENCE = 0.7  # of changed numbers, where the evidence has any that fits


@dataclass(frozen=True, slots=True)
class Corrupted:
    """A changed claim, what it should be called now, and the changed places."""

    claim: str
    target: tuple[float, float, float]
    marks: tuple[Mark, ...]
    kind: str


Change: TypeAlias = Callable[[Reading, Reading, Random], Corrupted | None]


def corrupt(claim: Reading, evidence: Reading, draws: Random) -> Corrupted | None:
    """Change one thing in `claim`; `None` where nothing in it can be changed.

    Args:
        claim: borne out by the evidence.
        evidence: the very text that the changed claim is shown with.
        draws: fixes what is changed.
    """
    changes = list(_CHANGES)
    while changes:
        change = draws.choices(changes, [_CHANGES[each] for each in changes])[0]
        changed = change(claim, evidence, draws)
        if changed is not None and changed.claim != claim.text:
            return changed
        changes.remove(change)
    return None


def _number(claim: Reading, evidence: Reading, draws: Random) -> Corrupted | None:
    mine = [word for word in claim.words if word.is_number]
    if not mine:
        return None
    word = draws.choice(mine)
    pool = [
        other.text
        for other in evidence.words
        if other.is_number
        and other.stem not in claim.stems
        and _alike(word.text, other.text)
    ]
    instead = draws.choice(pool) if pool and draws.random() < _FROM_EVIDENCE else ""
    return _replaced(
        claim,
        word,
        word,
        instead or _other_number(word.text, draws),
        target=NUMBER,
        kind="number",
    )


def _alike(one: str, other: str) -> bool:
    """Tell whether two numbers could stand in one place, as two years could."""
    if one.isdigit() != other.isdigit() or abs(len(one) - len(other)) > 1:
        return False
    return (len(one) == _YEAR_DIGITS) == (len(other) == _YEAR_DIGITS)


def _other_number(text: str, draws: Random) -> str:
    digits = text.replace(",", "")
    if not digits.isascii() or not digits.isdigit():
        head, _, tail = text.rpartition(".")
        moved = str((int(tail[-1]) + draws.randint(1, 8)) % 10) if tail else ""
        return f"{head}.{tail[:-1]}{moved}" if head and tail.isdigit() else ""
    value = int(digits)
    if len(digits) == _YEAR_DIGITS and value in _YEARS:
        return str(value + draws.choice((-1, 1)) * draws.randint(1, _FAR_YEARS))
    other = max(0, value + draws.choice((-1, 1)) * draws.randint(1, max(2, value // 2)))
    return f"{other:,}" if "," in text else str(other)


def _month(claim: Reading, evidence: Reading, draws: Random) -> Corrupted | None:
    mine = [word for word in claim.words if word.text in _MONTHS]
    if not mine:
        return None
    word = draws.choice(mine)
    pool = [one.text for one in evidence.words if one.text in _MONTHS]
    pool = [one for one in pool if one != word.text]
    instead = draws.choice(pool or [one for one in _MONTHS if one != word.text])
    return _replaced(claim, word, word, instead, target=NUMBER, kind="month")


def _name(claim: Reading, evidence: Reading, draws: Random) -> Corrupted | None:
    mine = [one for one in claim.names if claim.words[one.first_word].text]
    if not mine:
        return None
    name = draws.choice(mine)
    taken = frozenset(stem for one in claim.names for stem in one.stems)
    pool = [one for one in evidence.names if not taken.intersection(one.stems)]
    near = [one for one in pool if _length(one) == _length(name)] or pool
    if not near:
        return None
    other = draws.choice(near)
    return _replaced(
        claim,
        claim.words[name.first_word],
        claim.words[name.last_word],
        _text(evidence, other),
        target=NAME,
        kind="name",
    )


def _exchange(claim: Reading, _: Reading, draws: Random) -> Corrupted | None:
    """Let two names of the claim change places: who did what to whom."""
    if len(claim.names) < 2:  # noqa: PLR2004 - two to exchange
        return None
    first, second = sorted(draws.sample(claim.names, 2), key=lambda one: one.first_word)
    if set(first.stems) & set(second.stems):
        return None
    one, other = _text(claim, first), _text(claim, second)
    a, b = claim.words[first.first_word], claim.words[first.last_word]
    c, d = claim.words[second.first_word], claim.words[second.last_word]
    text = claim.text
    changed = text[: a.start] + other + text[b.end : c.start] + one + text[d.end :]
    shift = a.start + len(other) + (c.start - b.end)
    marks = (
        Mark(0, len(changed), True),
        Mark(a.start, a.start + len(other), False),
        Mark(shift, shift + len(one), False),
    )
    return Corrupted(changed, EXCHANGED, marks, "exchanged names")


def _negation(claim: Reading, _: Reading, draws: Random) -> Corrupted | None:
    places = [
        at for at, word in enumerate(claim.words[:-1]) if word.text in _AUXILIARIES
    ]
    if not places:
        return None
    at = draws.choice(places)
    word, following = claim.words[at], claim.words[at + 1]
    if following.text == "not":
        return _replaced(
            claim, word, following, word.text, target=NEGATED, kind="negation"
        )
    return _replaced(
        claim, word, word, f"{word.text} not", target=NEGATED, kind="negation"
    )


def _opposite(claim: Reading, _: Reading, draws: Random) -> Corrupted | None:
    mine = [word for word in claim.words if word.text in _OPPOSITES]
    if not mine:
        return None
    word = draws.choice(mine)
    return _replaced(
        claim, word, word, _OPPOSITES[word.text], target=NEGATED, kind="opposite"
    )


_WORDS_BOTH_HAVE = 4


def _word(claim: Reading, evidence: Reading, draws: Random) -> Corrupted | None:
    """Put another plain word of the evidence in place of one of the claim's."""
    mine = [one for one in claim.words if _plain(one)]
    pool = [
        one.text
        for one in evidence.words
        if _plain(one) and one.stem not in claim.stems
    ]
    if len(mine) < _WORDS_BOTH_HAVE or not pool:
        return None
    word = draws.choice(mine)
    ending = [one for one in pool if one[-2:] == word.text[-2:]]
    instead = draws.choice(ending or pool)
    return _replaced(claim, word, word, instead, target=NAME, kind="word")


_CHANGES: dict[Change, float] = {
    _number: 3.0,
    _month: 0.7,
    _name: 4.0,
    _exchange: 1.5,
    _negation: 0.6,
    _opposite: 1.5,
    _word: 1.5,
}


def _plain(word: Word) -> bool:
    return word.is_content and word.text.islower() and len(word.text) > 3  # noqa: PLR2004


def _length(name: Name) -> int:
    return name.last_word - name.first_word


def _text(reading: Reading, name: Name) -> str:
    first, last = reading.words[name.first_word], reading.words[name.last_word]
    return reading.text[first.start : last.end]


def _replaced(
    claim: Reading,
    first: Word,
    last: Word,
    instead: str,
    *,
    target: tuple[float, float, float],
    kind: str,
) -> Corrupted | None:
    if not instead or instead == claim.text[first.start : last.end]:
        return None
    changed = claim.text[: first.start] + instead + claim.text[last.end :]
    marks = (
        Mark(0, len(changed), True),
        Mark(first.start, first.start + len(instead), False),
    )
    return Corrupted(changed, target, marks, kind)


def appended(claim: str, detail: str) -> tuple[str, tuple[int, int]]:
    """Add a detail at the end of a claim; also return where it stands."""
    stop = "." if claim.rstrip().endswith(".") else ""
    first = claim.rstrip().rstrip(".")
    return f"{first} {detail}{stop}", (len(first) + 1, len(first) + 1 + len(detail))


def details(claim: Reading) -> Sequence[str]:
    """Return phrases of `claim` that could be added to another ("in 1998")."""
    found = []
    for before, word in zip(claim.words, claim.words[1:], strict=False):
        if before.text in {"in", "at", "by", "with", "from", "for"} and (
            word.is_number or word.is_capitalised
        ):
            last = word
            for name in claim.names:
                if claim.words[name.first_word].start == word.start:
                    last = claim.words[name.last_word]
            found.append(claim.text[before.start : last.end])
    return found
