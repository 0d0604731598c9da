"""Notices events that a connection passes over. Pure.

A feed numbers the events of each topic one after the other. Where a number has grown by
more than events came, of whatever topic, the server has left some out, as it does where
its own source was reset. It is looked at once a chunk, for nearly all of a feed is never
decoded; a few that are missing among many of another topic are not noticed.
"""

import json
from collections.abc import Sequence

_META = b'"meta":{'
_Place = tuple[str, int]


class Offsets:
    """Follows one connection from its beginning."""

    def __init__(self) -> None:
        self._frames = 0
        self._last: dict[
            _Place, tuple[int, int]
        ] = {}  # the offset, and frames till then

    def skipped(self, frames: Sequence[bytes], cut: int) -> _Place | None:
        """Return the topic and partition in which events are missing, if any are.

        Args:
            frames: of the next chunk.
            cut: how many more it had that were too large to be kept.
        """
        if not frames:
            self._frames += cut
            return None
        if not self._last:
            self._note(frames[0], self._frames + 1)
        self._frames += len(frames) + cut
        return self._note(frames[-1], self._frames)

    def _note(self, frame: bytes, count: int) -> _Place | None:
        found = _place_in(frame)
        if found is None:
            return None
        place, offset = found
        before, counted = self._last.get(place, (offset, count))
        self._last[place] = offset, count
        return place if offset - before > count - counted else None


def _place_in(frame: bytes) -> tuple[_Place, int] | None:
    """Return where an event stands; `None` where it does not say so plainly."""
    begin = frame.find(_META)
    end = frame.find(b"}", begin)
    if begin < 0 or end < 0:
        return None
    try:
        told = json.loads(frame[begin + len(_META) - 1 : end + 1])
    except (ValueError, RecursionError):  # lists within lists, many thousands deep
        return None
    topic, partition = told.get("topic"), told.get("partition", 0)
    offset = told.get("offset")
    if type(topic) is str and type(partition) is int and type(offset) is int:
        return (topic, partition), offset
    return None
