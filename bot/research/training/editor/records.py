"""One example of how a person brought a fact into a paragraph, and its file."""

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from bot.research.training.chat import files

_LONGEST_TEXT = 20_000
_MOST_ITEMS = 40

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
        return files.is_held_out(f"{self.wiki}\n{self.title}")


def record_id(wiki: str, title: str, revision_id: int, before: str) -> str:
    """Return what an example is called: the same edit has the same name in every run."""
    parts = f"{wiki}\n{title}\n{revision_id}\n{before}"
    return sha256(parts.encode("utf-8", "replace")).hexdigest()[:16]


def from_lines(path: Path) -> Iterator[EditRecord]:
    """Yield the records of a file.

    Raises:
        PermanentError: it cannot be read, or a line is no record.
    """
    return files.from_lines(path, EditRecord, "sidenote train editor collect")
