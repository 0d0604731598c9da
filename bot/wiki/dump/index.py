"""The index that lies beside a multistream dump: `offset:page id:title` a line.

Titles are not needed, since pages say them; where the streams begin, and how many
pages each has, are.
"""

import bz2
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from bot.wiki.dump.splitting import Streams, streams_from
from handlers.ports import PermanentError

_MAX_LINE_BYTES = 4096
_MAX_DIGITS = 15
_STREAM = b"BZh"
_AT_END = 2  # streams: the last one with pages, and that which ends the document
_LOOKED_AT = 8  # streams; damage to one or two makes no other dump of it


def default_index(dump: Path) -> Path | None:
    """Return the index that Wikimedia publishes with a dump, if it lies beside it."""
    if "multistream" not in dump.name:
        return None
    name = dump.name.replace("multistream", "multistream-index", 1)
    name = name.replace(".xml", ".txt", 1)
    index = dump.with_name(name)
    plain = index.with_suffix("") if index.suffix == ".bz2" else index
    found = (path for path in (index, plain) if path != dump and path.is_file())
    return next(found, None)


def read_index(index: Path, dump: Path) -> Streams:
    """Return where the streams of `dump` with pages begin, and how many each has.

    Raises:
        PermanentError: the index cannot be read, or is not of this dump.
    """
    starts: list[int] = []
    pages: list[int] = []
    for number, start in enumerate(_offsets(index), 1):
        if not starts or start > starts[-1]:
            starts.append(start)
            pages.append(0)
        elif start < starts[-1]:
            raise PermanentError(
                f"{index}: line {number:,} goes back in the dump; this is no index of a"
                " multistream dump, or it is damaged"
            )
        pages[-1] += 1
    size = dump.stat().st_size
    if not starts or starts[-1] >= size:
        raise PermanentError(
            f"{index} is not the index of {dump.name}: it names places beyond its end"
            f" ({size:,} bytes); fetch both of the same day"
        )
    if not _are_streams(dump, starts):
        raise PermanentError(
            f"{index} is not the index of {dump.name}: streams do not begin where it says;"
            " fetch both of the same day"
        )
    if len(list(islice(streams_from(dump, starts[-1]), _AT_END + 1))) > _AT_END:
        raise PermanentError(
            f"{index} was cut short: {dump.name} goes on behind the last stream that it"
            " names; fetch it again"
        )
    return Streams(tuple(starts), size, tuple(pages))


def _are_streams(dump: Path, starts: Sequence[int]) -> bool:
    """Tell whether streams begin at most of a few places.

    The first one is the same in dumps of two days, whose heads are of one length.
    """
    few = {starts[len(starts) * part // _LOOKED_AT] for part in range(_LOOKED_AT)}
    found = 0
    with dump.open("rb") as file:
        for start in few:
            file.seek(start)
            found += file.read(len(_STREAM)) == _STREAM
    return 2 * found >= len(few)


def _offsets(index: Path) -> Iterator[int]:
    try:
        with bz2.open(index) if index.suffix == ".bz2" else index.open("rb") as file:
            number = 0
            while line := file.readline(_MAX_LINE_BYTES):
                number += 1
                offset, colon, _ = line.partition(b":")
                if not colon or not offset.isdigit() or len(offset) > _MAX_DIGITS:
                    raise PermanentError(
                        f"{index}: line {number:,} is not `offset:page id:title`"
                    )
                yield int(offset)
    except (OSError, EOFError) as error:
        raise PermanentError(f"{index} cannot be read ({error})") from error
