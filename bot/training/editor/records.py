"""One example of how a person brought a fact into a paragraph, and its file."""

from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from handlers.ports import PermanentError

_LONGEST_TEXT = 20_000
_MOST_ITEMS = 40
_TEST_SHARE = 0.1  # of the pages

Text = Annotated[str, Field(max_length=_LONGEST_TEXT)]
Items = Annotated[tuple[Text, ...], Field(max_length=_MOST_ITEMS)]


class EditRecord(BaseModel):
    """An edit as the editor is to make it (appendix B). All texts are plain.

    `source` is what the editor reads: three or four sentences that a model wrote after
    the edit (`is_generated`), or the passage of the cited page that is nearest to it.
    `key_facts` are in `source` and in `after`, not in `before`; `commentary` is in
    `source` and in neither paragraph.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    wiki: str
    title: str
    section: tuple[str, ...]
    revision_id: int
    before: Text
    after: Text
    address: str = ""
    source: Text = ""
    is_generated: bool = False
    key_facts: Items = ()
    commentary: Items = ()

    @property
    def is_for_test(self) -> bool:
        """Whether its page is among those that no model is trained on."""
        digest = sha256(f"{self.wiki}\n{self.title}".encode()).digest()
        return int.from_bytes(digest[:4], "big") < _TEST_SHARE * 2**32


def record_id(wiki: str, title: str, revision_id: int, before: str) -> str:
    """Return what an example is called: the same edit has the same name in every run."""
    parts = f"{wiki}\n{title}\n{revision_id}\n{before}"
    return sha256(parts.encode("utf-8", "replace")).hexdigest()[:16]


def to_lines(records: Iterable[EditRecord]) -> str:
    """Return records as JSON lines."""
    return "".join(f"{one.model_dump_json()}\n" for one in records)


def from_lines(path: Path) -> Iterator[EditRecord]:
    """Yield the records of a file.

    Raises:
        PermanentError: it cannot be read, or a line is no record.
    """
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise PermanentError(
            f"cannot read {path}; name a file that `sidenote train editor collect` wrote"
        ) from error
    for number, line in enumerate(lines, 1):
        try:
            yield EditRecord.model_validate_json(line)
        except ValidationError as error:
            raise PermanentError(
                f"{path}, line {number}, is no example; collect them anew"
            ) from error
