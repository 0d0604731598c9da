"""Which changes of cited claims are worth reading their sources for.

Someone who follows all edits of a wiki can read the diff of each, but the sources of
few. So only what can change the meaning counts: another value or name, words that were
put in, taken out or moved, a function word exchanged for another ("may" for "will"), or
a footnote that no longer stands where it stood. That covers negation and hedges in any
language, without a list of them. An inflected form, a value in another form, an article
or one plain word for another does not count: most edits of these are copyedits. Pure.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher

from handlers.citations.edits import has_only_other_form
from handlers.citations.values import equal, values_of
from handlers.model import CELLS, ChangedClaim, EditKind
from handlers.text.analysis import TextAnalysis, analyse
from handlers.text.words import Word, opposed

_ARTICLES = frozenset({"a", "an", "the"})


def worth_reading(
    changes: Iterable[ChangedClaim], *, only_values: bool = False
) -> tuple[ChangedClaim, ...]:
    """Return the changes that may have moved a claim away from its source.

    Args:
        changes: of one edit, or of several that are looked at as one.
        only_values: count nothing but other values, as for edits of bots, which mend
            footnotes and typography all day.
    """
    if only_values:
        return tuple(one for one in changes if _has_other_values(one))
    return tuple(one for one in changes if _may_matter(one))


def _may_matter(change: ChangedClaim) -> bool:
    before, after = change.before, change.after
    if change.kind is not EditKind.REWORDED or before is None or after is None:
        return True
    if has_only_other_form(before.text, after.text, analyse):
        return False
    old, new = analyse(before.text), analyse(after.text)
    if after.kind in CELLS:
        return old.stems != new.stems or _differ(old, new)
    return _differ(old, new) or _reads_otherwise(old, new)


def _has_other_values(change: ChangedClaim) -> bool:
    before, after = change.before, change.after
    if change.kind is not EditKind.REWORDED or before is None or after is None:
        return False
    return not has_only_other_form(before.text, after.text, analyse) and _differ(
        analyse(before.text), analyse(after.text)
    )


def _differ(old: TextAnalysis, new: TextAnalysis) -> bool:
    """Return whether the values are not the same ones in the same order."""
    mine, theirs = (
        sorted(values_of(text), key=lambda one: one.first_word) for text in (old, new)
    )
    return len(mine) != len(theirs) or not all(map(equal, mine, theirs))


def _reads_otherwise(old: TextAnalysis, new: TextAnalysis) -> bool:
    """Return whether the words differ by more than copyediting."""
    mine, theirs = _words(old), _words(new)
    before, after = ([word.stem for word in words] for words in (mine, theirs))
    gone: set[str] = set()
    come: set[str] = set()
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for tag, first, last, start, end in matcher.get_opcodes():
        if tag == "equal":
            continue
        if _is_other_meaning(mine[first:last], theirs[start:end]):
            return True
        gone |= _forms(mine[first:last])
        come |= _forms(theirs[start:end])
    return opposed(gone, come) > 0


def _words(text: TextAnalysis) -> list[Word]:
    """Return the words that are neither articles nor part of a value."""
    valued = {
        at
        for value in values_of(text)
        for at in range(value.first_word, value.last_word + 1)
    }
    return [
        word
        for at, word in enumerate(text.words)
        if at not in valued and word.lowered not in _ARTICLES
    ]


def _is_other_meaning(old: Sequence[Word], new: Sequence[Word]) -> bool:
    """Return whether one run of words instead of another may say something else."""
    if not old or not new:  # put in, taken out or moved
        return True
    contents = [[word for word in words if word.is_content] for words in (old, new)]
    return (
        len(contents[1]) > len(contents[0])
        or _names(old) != _names(new)
        or _plain(old) != _plain(new)
    )


def _forms(words: Iterable[Word]) -> set[str]:
    return {form for one in words for form in (one.lowered, one.stem)}


def _names(words: Iterable[Word]) -> Counter[str]:
    return Counter(one.stem for one in words if one.is_capitalised and one.is_content)


def _plain(words: Iterable[Word]) -> Counter[str]:
    """Return the function words, which say how, when and whether."""
    return Counter(one.stem for one in words if not one.is_content)
