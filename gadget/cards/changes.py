"""What a card says of an edit that moved a statement away from its source. Pure.

The notes of one diff, what stood there before, and the edit that puts the old words
back. No addresses: the script makes those of the diff and of the wiki's undo form from
the numbers of the revisions.
"""

import re
from collections.abc import Iterator

from bot.report.words import clean
from gadget.cards.edits import Change, Editor
from gadget.payloads.cards import ChangeShown, Edit, EditKind, Words
from handlers.citations.quote_links import host_of, joined, pieces
from handlers.edits.finding import ChangedFinding
from handlers.findings import CurrentPlace, Suggestion
from handlers.model import EditKind as Done
from handlers.model import Span
from handlers.updates.suggestions import difference

_WORDS_AROUND = 6  # of a change, by which its place is found
_MOST_CHARS = 4_000  # of the words before; longer ones may have been clipped
# The old words are known as text, and go into wikitext: nothing in them may act there.
_MARKUP = re.compile(r"[\[\]{}<>|=&~\n]|''|__|://")
_TOKEN = re.compile(r"\s+|\S+")


def lies_within(found: Suggestion, since: int, until: int | None) -> bool:
    """Return whether a note is about an edit that a diff of two revisions shows.

    Args:
        found: the note.
        since: the older revision that is shown.
        until: the newer one; the newest of all if `None`.
    """
    finding = found.finding
    if not isinstance(finding, ChangedFinding) or finding.until is None:
        return False
    if finding.until == until:
        return True
    if finding.since is None or finding.since < since:
        return False
    return until is None or finding.until <= until


def change_shown(finding: ChangedFinding) -> ChangeShown:
    """Return what the edit did, and what stood there before it."""
    before, marked = finding.before, finding.marked_before
    return ChangeShown(
        done=finding.done.value,
        before=[
            Words(text=clean(one.text), is_meant=one.marked)
            for one in pieces(before, joined(before, marked))
        ]
        if before
        else [],
        since=finding.since,
        until=finding.until,
        at=finding.at,
    )


def restored(
    found: Suggestion, finding: ChangedFinding, current: CurrentPlace, editor: Editor
) -> Iterator[Edit]:
    """Yield the edit that puts the old words back, where the new ones are found once."""
    statement = current.statement
    if finding.done is not Done.REWORDED or statement is None:
        return
    if len(finding.before) > _MOST_CHARS:
        return
    text = statement.span.of(editor.places.wikitext)
    place = _changed(finding.before, statement.text, text)
    if place is None:
        return
    at, words, old = place
    if not _MARKUP.search(old):
        start = statement.span.start + at
        span = Span(start, start + len(words))
        label = _source(found)
        yield from editor.edit(Change("restore", EditKind.RESTORE, label, span, old))


def _changed(before: str, after: str, text: str) -> tuple[int, str, str] | None:
    """Return where whole words that changed are in wikitext, and the old ones.

    What stands around a change is the same on both sides, and tells its place where the
    words alone do not. `None` if markup stands within.
    """
    start, end, old = difference(after, before)
    left, right = _TOKEN.findall(after[:start]), _TOKEN.findall(after[end:])
    # What begins or ends within a word goes with it.
    tail, head = _cut(left, -1), _cut(right, 0)
    words = tail + after[start:end] + head
    for around in range(0, 2 * _WORDS_AROUND + 1, 2):
        before_it = "".join(left[: len(left) - bool(tail)][-around:] if around else ())
        behind_it = "".join(right[bool(head) :][:around])
        whole = before_it + words + behind_it
        if whole and text.count(whole) == 1:
            return text.index(whole) + len(before_it), words, tail + old + head
    return None


def _cut(tokens: list[str], at: int) -> str:
    """Return the part of a word at one end of some text."""
    return "" if not tokens or tokens[at].isspace() else tokens[at]


def _source(found: Suggestion) -> str:
    """Return the name of the source that bears the old words out."""
    quote = next(iter(found.details.quotes), None)
    if quote is not None and quote.title:
        return quote.title
    return next(filter(None, map(host_of, found.source_keys)), found.page.title)
