"""Vectors of passages in one flat file, compared one by one with a query's.

Some fifty thousand passages take a few hundredths of a second that way and need no
structure that could break. The file only ever grows; what the catalogue does not name
is ignored, so a kill while writing costs nothing.
"""

import os
from pathlib import Path

import numpy as np
import numpy.typing as npt

from bot.models.encoder import DIMENSIONS
from bot.search.index.catalogue import DamagedError

_TYPE = np.dtype("<f2")
_ROW_BYTES = DIMENSIONS * _TYPE.itemsize
_ROWS_AT_ONCE = 8_192  # converted to float32 together: 12 MiB
_ROWS_HELD = 65_536  # as float32: 100 MiB


def append(path: Path, rows: int, vectors: npt.NDArray[np.float32]) -> None:
    """Write `vectors` after the first `rows` of the file, overwriting what follows.

    Raises:
        DamagedError: the file has fewer rows than that.
    """
    with path.open("r+b" if path.exists() else "w+b") as file:
        if os.fstat(file.fileno()).st_size < rows * _ROW_BYTES:
            raise DamagedError(f"{path.name} is too short")
        file.seek(rows * _ROW_BYTES)
        file.write(vectors.astype(_TYPE).tobytes())
        file.flush()
        os.fsync(file.fileno())


def copy(source: Path, rows: npt.NDArray[np.int64], target: Path) -> None:
    """Write the given rows of `source` to `target`, in this order."""
    stored = open_rows(source, int(rows.max()) + 1 if len(rows) else 0)
    with target.open("wb") as file:
        for first in range(0, len(rows), _ROWS_AT_ONCE):
            file.write(stored[rows[first : first + _ROWS_AT_ONCE]].tobytes())
        file.flush()
        os.fsync(file.fileno())


def open_rows(path: Path, rows: int) -> npt.NDArray[np.float16]:
    """Map the first `rows` of the file into memory.

    Raises:
        DamagedError: it is missing, or has fewer.
    """
    if not rows:
        return np.zeros((0, DIMENSIONS), dtype=_TYPE)
    try:
        if path.stat().st_size < rows * _ROW_BYTES:
            raise DamagedError(f"{path.name} is too short")
        return np.memmap(path, dtype=_TYPE, mode="r", shape=(rows, DIMENSIONS))
    except OSError as error:
        raise DamagedError(f"{path.name}: {error.strerror}") from error


def unpacked(
    vectors: npt.NDArray[np.float16],
) -> npt.NDArray[np.float16] | npt.NDArray[np.float32]:
    """Return the rows in the form for comparison, unless there are too many.

    Converting them to float32 again takes most of a query's time.
    """
    return vectors.astype(np.float32) if len(vectors) <= _ROWS_HELD else vectors


def likeness(
    vectors: npt.NDArray[np.float16] | npt.NDArray[np.float32],
    query: npt.NDArray[np.float32],
) -> npt.NDArray[np.float32]:
    """Return the cosine of each row with the query; both have length 1."""
    found = np.zeros(len(vectors), dtype=np.float32)
    for first in range(0, len(vectors), _ROWS_AT_ONCE):
        part = vectors[first : first + _ROWS_AT_ONCE]
        block = part.astype(np.float32, copy=False)
        found[first : first + len(block)] = block @ query
    # A damaged file may hold values that are not numbers.
    return np.nan_to_num(found, nan=-1.0, posinf=-1.0, neginf=-1.0)
