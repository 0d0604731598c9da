"""One portion of the input becomes one shard of the output.

Its tables are written beside their places and renamed, its note last of all: a shard
without a note is not there, whatever else of it is.
"""

import json
import os
import resource
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from pathlib import Path
from typing import Protocol, TypeAlias
from uuid import uuid4

from bot.research.parquet import TableWriter, writing
from bot.research.sweep.columns import CLAIMS, PAGES
from bot.research.sweep.counts import Cost, DamagedStream, Failed, Shard, Skipped
from bot.research.sweep.frames import Answer, Question
from bot.research.sweep.portions import Portion, PortionKind, Wanted
from bot.research.sweep.rows import failed_row
from bot.wiki.dump import (
    BrokenPage,
    Damage,
    DumpPage,
    pages_of_span,
    pages_of_streams,
)
from bot.wiki.folder import read_page_file
from handlers.model import PageId
from handlers.ports import PermanentError

Item: TypeAlias = DumpPage | BrokenPage | Damage


class Asker(Protocol):
    """Reads pages somewhere they can do no harm."""

    @property
    def cpu_s(self) -> float:
        """Processor time so far."""
        ...

    @property
    def most_bytes(self) -> int:
        """Most memory that it held."""
        ...

    def ask(self, question: Question) -> Answer:
        """Return what it makes of a page."""
        ...

    def close(self) -> None:
        """Give up what it holds."""
        ...


@dataclass(frozen=True, slots=True)
class Places:
    """Where the parts of a shard lie in the folder of a sweep."""

    folder: Path

    def claims(self, number: int) -> Path:
        """Return the place of its table of claims."""
        return self.folder / "claims" / f"part-{number:06}.parquet"

    def pages(self, number: int) -> Path:
        """Return the place of its table of pages."""
        return self.folder / "pages" / f"part-{number:06}.parquet"

    def note(self, number: int) -> Path:
        """Return the place of its note."""
        return self.folder / "shards" / f"{number:06}.json"

    def passing(self, number: int) -> Path:
        """Return the place of the pages that are set aside for it."""
        return self.folder / "passing" / f"{number:06}.jsonl"

    def make(self) -> None:
        """Make the folders."""
        for folder in self.folders():
            folder.mkdir(parents=True, exist_ok=True)

    def folders(self) -> tuple[Path, ...]:
        """Return the folders."""
        names = ("claims", "pages", "shards", "passing")
        return tuple(self.folder / name for name in names)


class Sweeper:
    """Makes shards of portions, one after another; `close` ends its child."""

    def __init__(self, folder: Path, wanted: Wanted, asker: Asker) -> None:
        self._places = Places(folder)
        self._wanted = wanted
        self._asker = asker

    def __call__(self, portion: Portion) -> Shard:
        """Make the shard of a portion.

        Raises:
            PermanentError: its input cannot be read.
            OSError: the output cannot be written.
        """
        began_s, cpu_s = time.monotonic(), self._cpu_s()
        shard = Shard(number=portion.number)
        with (
            writing(self._places.claims(portion.number), CLAIMS) as claims,
            writing(self._places.pages(portion.number), PAGES) as pages,
        ):
            for item in _items(portion):
                self._take(item, portion, shard, claims, pages)
        own_bytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        shard.cost = Cost(
            cpu_s=round(self._cpu_s() - cpu_s, 3),
            wall_s=round(time.monotonic() - began_s, 3),
            most_bytes=own_bytes + self._asker.most_bytes,
        )
        write_note(self._places.note(portion.number), shard.model_dump_json())
        if portion.is_passing:
            with suppress(OSError):
                Path(portion.place).unlink()
        return shard

    def close(self) -> None:
        """Give up the child."""
        self._asker.close()

    def _cpu_s(self) -> float:
        return time.process_time() + self._asker.cpu_s

    def _take(
        self,
        item: Item,
        portion: Portion,
        shard: Shard,
        claims: TableWriter,
        pages: TableWriter,
    ) -> None:
        if isinstance(item, Damage):
            name = Path(portion.place).name
            shard.damaged.append(DamagedStream(file=name, **asdict(item)))
            return
        shard.counts.pages += 1
        page = PageId(portion.wiki, item.title)
        if isinstance(item, BrokenPage):
            broken = Failed.UNREAD if item.was_asked_for else Failed.BROKEN
            _failed(shard, pages, page, Answer(failed=broken, detail=item.reason))
            return
        why = self._unwanted(item)
        if why is not None or item.text is None:
            shard.counts.skip(why or Skipped.HIDDEN)
            return
        page = PageId(
            item.wiki or portion.wiki,
            item.title,
            item.page_id,
            item.revision_id,
            item.revised_at,
        )
        answer = self._asker.ask(Question(page, item.text))
        _keep(answer, shard, page, claims, pages)

    def _unwanted(self, page: DumpPage) -> Skipped | None:
        if page.namespace not in self._wanted.namespaces:
            return Skipped.NAMESPACE
        if page.is_redirect and not self._wanted.redirects:
            return Skipped.REDIRECT
        return None if page.model == "wikitext" else Skipped.MODEL


def _keep(
    answer: Answer, shard: Shard, page: PageId, claims: TableWriter, pages: TableWriter
) -> None:
    if answer.failed is None and answer.counts is not None:
        try:
            if not answer.counts.skipped:
                claims.add(answer.claims)
                pages.add([answer.page or {}])
                shard.counts.swept += 1
            shard.counts.add(answer.counts)
        except ValueError as error:
            told = f"its rows do not fit: {error}"[:300]
            answer = Answer(failed=Failed.FAULT, detail=told)
    if answer.failed is not None:
        _failed(shard, pages, page, answer)


def _failed(shard: Shard, pages: TableWriter, page: PageId, answer: Answer) -> None:
    why = answer.failed or Failed.FAULT
    shard.name_failed(page.title, why, answer.detail)
    pages.add([failed_row(page, why.value, answer.detail, None)])


def _items(portion: Portion) -> Iterator[Item]:
    place = Path(portion.place)
    try:
        match portion.kind:
            case PortionKind.STREAMS:
                yield from pages_of_streams(
                    place, portion.starts, portion.end, portion.expected
                )
            case PortionKind.SPAN:
                yield from pages_of_span(place, portion.starts[0], portion.end)
            case PortionKind.TEXTS:
                yield from _set_aside(place)
            case PortionKind.FILES:
                for name in portion.files:
                    yield _of_file(place / name, portion.wiki)
    except FileNotFoundError as error:
        raise PermanentError(
            f"{place} is not there; every worker needs the input and the output folder"
            " under the same path"
        ) from error


def _of_file(path: Path, wiki: str) -> DumpPage | BrokenPage:
    try:
        page = read_page_file(path, wiki=wiki or None)
    except PermanentError as error:
        return BrokenPage(path.name, str(error))
    return DumpPage(
        title=page.id.title,
        namespace=0,
        page_id=None,
        revision_id=page.id.revision_id,
        revised_at=None,
        model="wikitext",
        text=page.wikitext,
        is_redirect=False,
        wiki=page.id.wiki,
    )


# --- pages that are set aside for a worker: one JSON object a line --------------


def set_aside(path: Path, pages: list[DumpPage | BrokenPage]) -> None:
    """Write pages for a portion of the kind TEXTS."""
    lines = []
    for page in pages:
        values = asdict(page)
        if isinstance(page, DumpPage) and page.revised_at:
            values["revised_at"] = page.revised_at.isoformat()
        lines.append(json.dumps(values))
    write_note(path, "\n".join(lines) + "\n")


_FIELDS_OF_BROKEN = {field.name for field in fields(BrokenPage)}


def _set_aside(path: Path) -> Iterator[DumpPage | BrokenPage]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            values = json.loads(line)
            if set(values) == _FIELDS_OF_BROKEN:
                yield BrokenPage(**values)
                continue
            if values["revised_at"]:
                values["revised_at"] = datetime.fromisoformat(values["revised_at"])
            yield DumpPage(**values)


def write_note(path: Path, text: str) -> None:
    """Write a small file whole, and to the disk before it has its name."""
    # Not by the number of the process: containers on one disk have the same ones.
    unfinished = path.with_name(f".{path.name}.{uuid4().hex}.part")
    with unfinished.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(path)
