"""How a worker and the child that reads its pages talk: JSON over pipes.

The child reads what strangers wrote, so nothing that it says is run or unpickled, and
what it says must have the form asked for.
"""

import json
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, BinaryIO

from pydantic import BaseModel, ConfigDict

from bot.research.sweep.counts import Counts, Failed
from bot.research.sweep.rows import Rows
from bot.sources.extraction.extractor import LENGTH_BYTES, frame, read_frame
from handlers.model import PageId
from handlers.ports import PermanentError

MAX_ANSWER_BYTES = 256 * 1024**2
READY = b"ready"


class Answer(BaseModel):
    """What the child makes of a page, or why it cannot."""

    model_config = ConfigDict(extra="forbid")

    page: dict[str, Any] | None = None
    claims: list[dict[str, Any]] = []
    counts: Counts | None = None
    failed: Failed | None = None
    detail: str = ""
    cpu_s: float = 0.0  # of the child and the extractors it has ended, so far
    most_bytes: int = 0  # of memory


@dataclass(frozen=True, slots=True)
class Question:
    """A page for the child."""

    page: PageId
    wikitext: str

    def to_frames(self) -> bytes:
        """Return what is written to the child."""
        page, revised = self.page, self.page.revised_at
        head = {
            "wiki": page.wiki,
            "title": page.title,
            "page_id": page.page_id,
            "revision_id": page.revision_id,
            "revised_at": revised.isoformat() if revised else None,
        }
        text = self.wikitext.encode("utf-8", "surrogatepass")
        return frame(json.dumps(head).encode()) + frame(text)


def read_question(stream: BinaryIO) -> Question | None:
    """Return the next page, or `None` when there are no more."""
    head = read_frame(stream)
    text = None if head is None else read_frame(stream)
    if head is None or text is None:
        return None
    fields = json.loads(head)
    revised = fields["revised_at"]
    fields["revised_at"] = datetime.fromisoformat(revised) if revised else None
    return Question(PageId(**fields), text.decode("utf-8", "surrogatepass"))


async def answer(
    question: Question, read: Callable[[str, PageId], Awaitable[Rows]]
) -> Answer:
    """Read a page; whatever goes wrong with it becomes part of the answer."""
    try:
        rows = await read(question.wikitext, question.page)
    except PermanentError as error:
        return Answer(failed=Failed.TOO_LARGE, detail=str(error))
    except MemoryError:
        return Answer(failed=Failed.MEMORY, detail="it was stopped")
    except Exception as error:  # noqa: BLE001 - one page must not end a sweep
        told = f"{type(error).__name__}: {error}"[:300]
        return Answer(failed=Failed.FAULT, detail=told)
    return Answer(page=rows.page, claims=list(rows.claims), counts=rows.counts)


def answer_frame(told: Answer, most_bytes: int) -> bytes:
    """Return what the child writes."""
    full = told.model_copy(
        update={"cpu_s": time.process_time(), "most_bytes": most_bytes}
    )
    return frame(full.model_dump_json().encode())


__all__ = [
    "LENGTH_BYTES",
    "MAX_ANSWER_BYTES",
    "READY",
    "Answer",
    "Question",
    "answer",
    "answer_frame",
    "read_question",
]
