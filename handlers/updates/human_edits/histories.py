"""Reads the revisions of a time one after the other, and what each of them changed.

Only the paragraphs of one revision are kept, so that a year of a busy page fits into
memory. Revisions of one person in quick succession count as one, for people save a
sentence first and its source a minute later. What became of an edit is known at the
end: from texts that return to an earlier state, and from the last text. Pure.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from handlers.model import PageId
from handlers.page import parse
from handlers.page.anchors import normalised
from handlers.updates.human_edits.comparing import edits_between
from handlers.updates.human_edits.paragraphs import Paragraph, paragraphs_of
from handlers.updates.human_edits.values import Fate, HumanEdit, Revision

_SITTING = timedelta(minutes=30)
_STILL_ALIKE = 0.6  # of the words of a sentence that was only worded anew
_COMMON = 200  # sentences that share a word by which no other sentence is looked up


class HistoryReading:
    """Takes the revisions of one page from the oldest on, and tells the edits.

    Args:
        wiki: its host name.
        title: of the page.
        sitting: how long somebody may pause between two revisions that count as one;
            zero for each revision by itself, as the paper has it.
    """

    def __init__(self, wiki: str, title: str, *, sitting: timedelta = _SITTING) -> None:
        self._page = PageId(wiki, title)
        self._sitting = sitting
        self._seen: dict[bytes, int] = {}  # texts, and the number of their revision
        self._count = 0
        self._base: tuple[Paragraph, ...] = ()
        self._waiting: Revision | None = None  # may belong to a sitting that goes on
        self._told: list[tuple[int, HumanEdit]] = []  # with the number of the revision
        self._returns: list[tuple[int, int]] = []

    @property
    def revisions(self) -> int:
        """How many revisions with text were taken, the first one included."""
        return self._count

    def add(self, revision: Revision) -> None:
        """Take the next revision; the first is what the edits start from.

        One without text is passed over.
        """
        if revision.text is None:
            return
        if self._waiting and not self._goes_on(self._waiting, revision):
            self._settle()
        if self._count:
            self._waiting = revision
        else:
            self._base = self._read(revision)
        digest = hashlib.sha256(revision.text.encode()).digest()
        earlier = self._seen.setdefault(digest, self._count)
        if earlier < self._count:
            self._returns.append((earlier, self._count))
        self._count += 1

    def edits(self) -> tuple[HumanEdit, ...]:
        """Return the edits in the order of time, each with what became of it."""
        self._settle()
        last = _LastText(self._base)
        return tuple(
            replace(edit, fate=Fate.UNDONE if self._is_undone(at) else last.fate(edit))
            for at, edit in self._told
        )

    def _goes_on(self, one: Revision, other: Revision) -> bool:
        """Tell whether `other` belongs to the sitting in which `one` was saved."""
        is_same = bool(one.note.user) and one.note.user == other.note.user
        return is_same and other.note.saved_at - one.note.saved_at < self._sitting

    def _settle(self) -> None:
        """Compare the revision that waits with the last one before its sitting."""
        if self._waiting is None:
            return
        after = self._read(self._waiting)
        edits = edits_between(self._base, after, self._waiting.note)
        self._told.extend((self._count - 1, edit) for edit in edits)
        self._base, self._waiting = after, None

    def _is_undone(self, at: int) -> bool:
        """Tell whether the page later had a text from before, or has one by this edit."""
        return any(earlier < at <= later for earlier, later in self._returns)

    def _read(self, revision: Revision) -> tuple[Paragraph, ...]:
        return paragraphs_of(parse(revision.text or "", self._page))


class _LastText:
    """Tells what became of sentences by the last revision that was read."""

    def __init__(self, paragraphs: Sequence[Paragraph]) -> None:
        self._keys = list({key: None for one in paragraphs for key in one.keys})
        self._places = dict.fromkeys(self._keys)
        self._by_word: dict[str, list[int]] = defaultdict(list)
        for at, key in enumerate(self._keys):
            for word in set(key.split()):
                self._by_word[word].append(at)

    def fate(self, edit: HumanEdit) -> Fate:
        came = [normalised(text) for text in edit.insertions]
        if not came:
            is_back = any(normalised(text) in self._places for text in edit.removals)
            return Fate.UNDONE if is_back else Fate.KEPT
        if any(key in self._places for key in came):
            return Fate.KEPT
        return Fate.REWORDED if any(map(self._is_like_one, came)) else Fate.UNDONE

    def _is_like_one(self, key: str) -> bool:
        wanted = set(key.split())
        shared: Counter[int] = Counter()
        for word in wanted:
            places = self._by_word.get(word, ())
            if len(places) <= _COMMON:
                shared.update(places)
        return any(
            _dice(wanted, set(self._keys[at].split())) >= _STILL_ALIKE
            for at, _ in shared.most_common(5)
        )


def _dice(one: set[str], other: set[str]) -> float:
    return 2 * len(one & other) / (len(one) + len(other))
