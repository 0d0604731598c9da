"""Files of examples, one a line, each line checked when it is read."""

from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path

from pydantic import BaseModel, ValidationError

from handlers.ports import PermanentError, T

_TEST_SHARE = 0.1


def to_lines(records: Iterable[BaseModel]) -> str:
    """Return records as JSON lines."""
    return "".join(f"{one.model_dump_json()}\n" for one in records)


def from_lines(path: Path, form: type[T], made_by: str) -> Iterator[T]:
    """Yield the records of a file.

    Args:
        path: of the file.
        form: of a record.
        made_by: the command that writes such files, for the message.

    Raises:
        PermanentError: it cannot be read, or a line is no record.
    """
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise PermanentError(
            f"cannot read {path}; name a file that `{made_by}` wrote"
        ) from error
    # Not `splitlines`: texts of the web hold other signs that it takes for line ends.
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            yield form.model_validate_json(line)
        except ValidationError as error:
            raise PermanentError(
                f"{path}, line {number}, is no example; collect them anew"
            ) from error


def is_held_out(name: str) -> bool:
    """Tell whether a name is among the tenth that no model is trained on."""
    digest = sha256(name.encode("utf-8", "replace")).digest()
    return int.from_bytes(digest[:4], "big") < _TEST_SHARE * 2**32
