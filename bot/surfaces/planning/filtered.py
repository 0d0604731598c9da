"""Finds the note that an edit filter or the spam blacklist of a wiki refuses. Pure.

A wiki says that it refuses a text, and not for which note in it. So what was refused is
tried by halves, each half as a post of its own: what passes is posted, and a note that
is refused alone is left out. It is tried again ever more rarely, as people change
filters. All this is read from the posts to the page; how soon the next may follow is
`Past.held_until`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.records.posts import StoredPost

_DAY_S = 86_400.0
_LONGEST_S = 30 * _DAY_S
_MOST_DOUBLINGS = 5


@dataclass(frozen=True, slots=True)
class Part:
    """The new notes to be posted now.

    With `is_search`, it was their turn before, in a post that a filter refused.
    """

    names: tuple[str, ...]
    is_search: bool = False


def left_out_until(refused: Iterable[StoredPost]) -> Mapping[str, datetime]:
    """Return the notes that were refused alone, and until when each is left out.

    Args:
        refused: posts that a filter refused.
    """
    times: dict[str, int] = {}
    last: dict[str, datetime] = {}
    for each in refused:
        if len(each.post.adds) == 1:
            [name] = each.post.adds
            times[name] = times.get(name, 0) + 1
            last[name] = max(each.changed_at, last.get(name, each.changed_at))

    def rest(name: str) -> timedelta:
        doublings = min(times[name] - 1, _MOST_DOUBLINGS)
        return timedelta(seconds=min(_DAY_S * 2.0**doublings, _LONGEST_S))

    return {name: at + rest(name) for name, at in last.items()}


def part_of(new: Sequence[str], refused: Sequence[StoredPost]) -> Part:
    """Return which of the new notes the next post adds.

    That is half of the smallest part that was refused for a note not yet found; then
    all that was not refused alone; at last, one that was.

    Args:
        new: their identities, in order; none that is left out now.
        refused: posts that a filter refused.
    """
    alone = left_out_until(refused).keys()
    parts = [
        [name for name in new if name in each.post.adds]
        for each in refused
        if len(each.post.adds) > 1 and not alone & set(each.post.adds)
    ]
    if suspects := min(filter(None, parts), key=len, default=[]):
        return Part(tuple(suspects[: (len(suspects) + 1) // 2]), is_search=True)
    rest = tuple(name for name in new if name not in alone) or tuple(new[:1])
    before = {name for each in refused for name in each.post.adds}
    return Part(rest, is_search=not before.isdisjoint(rest))
