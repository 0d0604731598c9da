"""Which edits bring facts, and which make examples for the editor.

Appendix A of WiNELL names what is no edit of content; B.1 names four filters for
training: noise, semantic integrity, simplification of the history, pruning of
sections. Pure.
"""

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import Enum

from handlers.citations.cues.negation import negations
from handlers.citations.cues.words import words
from handlers.page.anchors import normalised
from handlers.updates.human_edits.values import (
    Fate,
    HumanEdit,
    Look,
    ParagraphChange,
)
from handlers.updates.subject import is_apparatus

_BOT = re.compile(r"bot(?:[ _-]?[0-9ivx]{1,3})?$|^bot[ _]", re.IGNORECASE)
_REVERTS = frozenset({"mw-undo", "mw-rollback", "mw-manual-revert"})
_REVERTED = "mw-reverted"
_UNREADABLE = re.compile(
    "[\ufffd\ufeff\u200b\x00-\x08\x0b-\x1f\x7f]"
    r"|Ã[\x80-\xbf©¤¶¼¨]|â€|(\S)\1{9,}"  # letters read in the wrong code; a held key
)
_PAIRS = (("{{", "}}"), ("[[", "]]"), ("<ref", "</ref>"))
_CLOSED_REF = re.compile(r"<ref[^<>]*/>")
_PLAIN = re.compile(
    # One that is never closed ends where the next begins, so that none is read twice.
    r"<ref[^<>]*/>|<ref[^<>]*>(?:(?!</?ref).)*+</ref>|<!--(?:(?!<!--|-->).)*+-->"
    r"|\{\{[^{}]*\}\}|\[\[(?:[^\[\]|]*\|)?|\]\]|<[^<>]*>|'{2,}",
    re.DOTALL | re.IGNORECASE,
)
_MOST_CHARACTERS = 20_000  # of a paragraph that is compared word by word
_SAME_WORD = 0.8  # of its letters, where a spelling was put right


class Unwanted(Enum):
    """Why an edit is left out."""

    PROGRAM = "a program made it"
    UNDONE = "it was undone, or undoes another"
    NO_NEW_SOURCE = "it brings no new source"
    NO_WORDS = "it brings no words"
    SUPERFICIAL = "only spelling or small words changed"
    APPARATUS = "its section holds references or links"
    NOISE = "it holds unreadable characters or broken markup"
    NO_PARAGRAPH = "there was no paragraph before, or none is left"
    TOO_SHORT = "too few words changed"
    TOO_LONG = "too many words changed"
    REPHRASED = "it says the whole paragraph anew"
    NOT_PROSE = "it is no running text"


@dataclass(frozen=True, slots=True)
class ExamplePolicy:
    """The bounds of an example for the editor, in words and shares of words.

    `least_kept` is the share of the old paragraph's words that still stand after it.
    """

    least_changed: int = 4
    most_changed: int = 150
    longest_paragraph: int = 400
    least_kept: float = 0.5


def why_not_factual(edit: HumanEdit) -> Unwanted | None:
    """Return why an edit brings no facts with a source (§4.1); `None` if it does."""
    tests = (
        (Unwanted.PROGRAM, is_program(edit.note.user)),
        (Unwanted.UNDONE, _is_reverting(edit)),
        (Unwanted.APPARATUS, is_apparatus(edit.section)),
        (Unwanted.NO_WORDS, not edit.insertions),
        (Unwanted.NO_NEW_SOURCE, not edit.sources),
        (Unwanted.SUPERFICIAL, all(map(is_superficial, edit.changes))),
        (Unwanted.NOISE, any(map(_UNREADABLE.search, edit.insertions))),
    )
    return next((why for why, holds in tests if holds), None)


def why_no_example(
    edit: HumanEdit, change: ParagraphChange, policy: ExamplePolicy | None = None
) -> Unwanted | None:
    """Return why a change teaches the editor nothing (B.1); `None` if it does."""
    unwanted = why_not_factual(edit)
    if unwanted is not None:
        return unwanted
    if edit.fate is not Fate.KEPT:
        return Unwanted.UNDONE
    return _why_no_pair(change, policy or ExamplePolicy())


def is_program(user: str) -> bool:
    """Tell the name of a bot, as the wikis' rules have it: it says so at its end."""
    return bool(_BOT.search(user))


def is_superficial(change: ParagraphChange) -> bool:
    """Tell whether only spelling, small words or the order of words changed."""
    if _negations(change.removals) != _negations(change.insertions):
        return False
    old = _weighty(change.removals)
    new = _weighty(change.insertions)
    came, went = new - old, old - new
    return len(came) == len(went) and all(
        any(_is_same_word(word, other) for other in went) for word in came
    )


def words_changed(change: ParagraphChange) -> int:
    """Return how many words differ between the paragraphs, markup left out."""
    old, new = _words_of(change.before), _words_of(change.after)
    return sum(
        max(i_end - i, j_end - j)
        for tag, i, i_end, j, j_end in _matched(old, new).get_opcodes()
        if tag != "equal"
    )


def _why_no_pair(change: ParagraphChange, policy: ExamplePolicy) -> Unwanted | None:
    if change.look not in {Look.PARAGRAPH, Look.ITEM}:
        return Unwanted.NOT_PROSE
    if not change.before or not change.after:
        return Unwanted.NO_PARAGRAPH
    if not change.insertions:
        return Unwanted.NO_WORDS
    if not change.sources:
        return Unwanted.NO_NEW_SOURCE
    if _is_noise(change.before) or _is_noise(change.after):
        return Unwanted.NOISE
    return _why_no_size(change, policy)


def _why_no_size(change: ParagraphChange, policy: ExamplePolicy) -> Unwanted | None:
    if max(len(change.before), len(change.after)) > _MOST_CHARACTERS:
        return Unwanted.TOO_LONG
    old, new = _words_of(change.before), _words_of(change.after)
    if max(len(old), len(new)) > policy.longest_paragraph:
        return Unwanted.TOO_LONG
    changed = words_changed(change)
    if changed < policy.least_changed:
        return Unwanted.TOO_SHORT
    if changed > policy.most_changed:
        return Unwanted.TOO_LONG
    kept = sum(block.size for block in _matched(old, new).get_matching_blocks())
    return Unwanted.REPHRASED if kept < policy.least_kept * len(old) else None


def _is_reverting(edit: HumanEdit) -> bool:
    return (
        edit.fate is Fate.UNDONE
        or _REVERTED in edit.note.tags
        or not _REVERTS.isdisjoint(edit.note.tags)
    )


def _is_noise(wikitext: str) -> bool:
    if _UNREADABLE.search(wikitext):
        return True
    text = _CLOSED_REF.sub("", wikitext)
    return any(text.count(opens) != text.count(closes) for opens, closes in _PAIRS)


def _weighty(sentences: tuple[str, ...]) -> set[str]:
    """Return the words of sentences that say something, numbers and negations too."""
    return {
        word.text.casefold()
        for sentence in sentences
        for word in words(sentence)
        if word.is_content
    }


def _negations(sentences: tuple[str, ...]) -> int:
    return sum(negations(words(sentence)) for sentence in sentences)


def _is_same_word(one: str, other: str) -> bool:
    if any(map(str.isdigit, one + other)):
        return one == other
    return SequenceMatcher(None, one, other, autojunk=False).ratio() >= _SAME_WORD


def _words_of(wikitext: str) -> list[str]:
    return normalised(_PLAIN.sub(" ", wikitext)).split()


def _matched(old: list[str], new: list[str]) -> SequenceMatcher[str]:
    return SequenceMatcher(None, old, new, autojunk=False)
