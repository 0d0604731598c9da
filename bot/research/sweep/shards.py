"""Makes one portion of the input into one shard of the output, in a sweep's folder.

Its tables are written under temporary names and renamed, its note last of all: a shard
without a note does not count, whatever else of it exists. The manifest holds the
fingerprint of the input and all settings that the figures depend on. A sweep only
continues with the same ones: shards of two inputs, or of two engines, must never be
added up.
"""

import fcntl
import hashlib
import json
import os
import resource
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeAlias
from uuid import uuid4

from pydantic import TypeAdapter, ValidationError

from bot.research.sweep.child import Answer, PageChild
from bot.research.sweep.dump_pages import (
    BrokenPage,
    Damage,
    DumpPage,
    pages_of_streams,
)
from bot.research.sweep.rows import (
    Cost,
    DamagedStream,
    Failed,
    Portion,
    PortionKind,
    Question,
    Shard,
    Skipped,
    Wanted,
    failed_row,
)
from bot.research.sweep.tables import CLAIMS, PAGES, TableWriter, described, writing
from bot.wiki.folder import read_page_file
from handlers.model import PageId
from handlers.ports import PermanentError

Item: TypeAlias = DumpPage | BrokenPage | Damage


class Sweeper:
    """Makes shards of portions, one after another; `close` ends its child."""

    def __init__(self, folder: "SweepFolder", wanted: Wanted, asker: PageChild) -> None:
        self._folder = folder
        self._wanted = wanted
        self._asker = asker

    def __call__(self, portion: Portion) -> Shard:
        began_s, cpu_s = time.monotonic(), self._cpu_s()
        shard = Shard(number=portion.number)
        with (
            writing(self._folder.claims(portion.number), CLAIMS) as claims,
            writing(self._folder.pages(portion.number), PAGES) as pages,
        ):
            for item in _items(portion):
                self._take(item, portion, shard, claims, pages)
        own_bytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        shard.cost = Cost(
            cpu_s=round(self._cpu_s() - cpu_s, 3),
            wall_s=round(time.monotonic() - began_s, 3),
            most_bytes=own_bytes + self._asker.most_bytes,
        )
        write_note(self._folder.note(portion.number), shard.model_dump_json())
        if portion.is_passing:
            with suppress(OSError):
                Path(portion.place).unlink()
        return shard

    def close(self) -> None:
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
            broken = Failed.UNREAD if item.was_requested else Failed.BROKEN
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
            detail = f"its rows do not fit: {error}"[:300]
            answer = Answer(failed=Failed.FAULT, detail=detail)
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


_ASIDE: TypeAdapter[DumpPage | BrokenPage] = TypeAdapter(DumpPage | BrokenPage)


def set_aside(path: Path, pages: list[DumpPage | BrokenPage]) -> None:
    """Write pages for a portion of the kind TEXTS."""
    lines = [json.dumps(_ASIDE.dump_python(page), default=str) for page in pages]
    write_note(path, "\n".join(lines) + "\n")


def _set_aside(path: Path) -> Iterator[DumpPage | BrokenPage]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield _ASIDE.validate_python(json.loads(line))


def write_note(path: Path, text: str) -> None:
    """Write a small file and sync it to the disk before it gets its name."""
    # Not named by process id: containers that share a disk may have the same ones.
    unfinished = path.with_name(f".{path.name}.{uuid4().hex}.part")
    with unfinished.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(path)


_MANIFEST = "manifest.json"
_FORMAT = 1
_SAMPLE_BYTES = 64 * 1024
_SAMPLES = 32  # per file, spread over it: dumps are too long to read just for this


@dataclass(frozen=True, slots=True)
class SweepFolder:
    """A folder of shards that belong together."""

    path: Path

    def claims(self, number: int) -> Path:
        return self.path / "claims" / f"part-{number:06}.parquet"

    def pages(self, number: int) -> Path:
        return self.path / "pages" / f"part-{number:06}.parquet"

    def note(self, number: int) -> Path:
        return self.path / "shards" / f"{number:06}.json"

    def passing(self, number: int) -> Path:
        return self.path / "passing" / f"{number:06}.jsonl"

    def folders(self) -> tuple[Path, ...]:
        names = ("claims", "pages", "shards", "passing")
        return tuple(self.path / name for name in names)

    @contextmanager
    def opened(self, begun_with: Mapping[str, object]) -> Iterator[None]:
        """Lock the folder for one sweep, begun or continued with these settings."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            lock = (self.path / ".lock").open("w")
        except OSError as error:
            raise PermanentError(
                f"the folder {self.path} cannot be written to ({error.strerror}); name"
                " another with --output"
            ) from error
        with lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise PermanentError(
                    f"another sweep is using {self.path}; wait for it, or use another"
                    " folder"
                ) from error
            self._begin({"format": _FORMAT, **begun_with})
            yield

    def _begin(self, begun_with: Mapping[str, object]) -> None:
        wanted = json.loads(json.dumps(begun_with))
        manifest = self.path / _MANIFEST
        if manifest.exists():
            _require_same(self.path, _manifest(manifest), wanted)
        elif not self._holds_only_ours():
            raise PermanentError(
                f"{self.path} is not empty and has no sweep in it; use another folder"
            )
        for pattern in (".*.part", "*/.*.part"):  # left by a process that was killed
            for orphan in self.path.glob(pattern):
                orphan.unlink(missing_ok=True)
        for number in self.done():  # left by one killed right after its shard
            self.passing(number).unlink(missing_ok=True)
        write_note(manifest, json.dumps(wanted, indent=1) + "\n")
        for folder in self.folders():
            folder.mkdir(parents=True, exist_ok=True)
        write_note(self.path / "COLUMNS.md", described())

    def _holds_only_ours(self) -> bool:
        """Return whether the folder holds only what a sweep leaves that never began."""
        ours = {".lock", "COLUMNS.md", *(one.name for one in self.folders())}
        names = (one.name for one in self.path.iterdir())
        return not self.done() and all(
            name in ours or name.startswith(".manifest") for name in names
        )

    def forget(self) -> None:
        """Let the folder be used for another sweep, if it has no shard yet."""
        if not self.done():
            (self.path / _MANIFEST).unlink(missing_ok=True)
            for folder in self.folders():
                for begun in folder.glob("*"):
                    begun.unlink(missing_ok=True)

    def done(self) -> frozenset[int]:
        notes = (self.path / "shards").glob("*.json")
        return frozenset(int(note.stem) for note in notes if note.stem.isdecimal())

    def shards(self) -> Iterator[Shard]:
        """Yield the notes of all shards, in order."""
        for number in sorted(self.done()):
            note = self.note(number)
            try:
                yield Shard.model_validate_json(note.read_bytes())
            except (OSError, ValidationError) as error:
                raise PermanentError(
                    f"the shard {note} is damaged; delete it and run the sweep again"
                ) from error

    # --- inputs that can only be read from beginning to end ---------------------

    def ended(self, place: Path) -> tuple[int, list[DamagedStream]] | None:
        """Return how many portions an input gave, if it was once read to its end."""
        with suppress(OSError, ValueError, KeyError, TypeError):
            answer = json.loads(self._end_of(place).read_bytes())
            damaged = [DamagedStream(**one) for one in answer["damaged"]]
            return int(answer["portions"]), damaged
        return None

    def end(self, place: Path, portions: int, damaged: list[DamagedStream]) -> None:
        """Record that an input was read to its end, and what was damaged in it."""
        fields = {
            "portions": portions,
            "damaged": [one.model_dump() for one in damaged],
        }
        write_note(self._end_of(place), json.dumps(fields) + "\n")

    def _end_of(self, place: Path) -> Path:
        name = hashlib.sha256(str(place).encode("utf-8", "replace")).hexdigest()[:16]
        return self.path / "passing" / f"{name}.end"


def fingerprint(path: Path) -> dict[str, object]:
    """Return what identifies an input: name, size, and samples from all of it."""
    if path.is_dir():
        names = sorted(
            f"{one.name}\0{one.stat().st_size}"
            for one in path.iterdir()
            if one.is_file()
        )
        digest = hashlib.sha256("\n".join(names).encode("utf-8", "replace"))
        return {
            "name": path.name,
            "files": len(names),
            "sha256_of_names": digest.hexdigest(),
        }
    if not path.is_file():
        raise PermanentError(f"{path} is no file that can be read more than once")
    size = path.stat().st_size
    sampled = hashlib.sha256()
    with path.open("rb") as file:
        step = max(_SAMPLE_BYTES, size // _SAMPLES)
        for place in (*range(0, size, step), max(0, size - _SAMPLE_BYTES)):
            file.seek(place)
            sampled.update(file.read(_SAMPLE_BYTES))
    return {"name": path.name, "bytes": size, "sha256_of_samples": sampled.hexdigest()}


def _manifest(path: Path) -> dict[str, object]:
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise PermanentError(f"{path} cannot be read ({error})") from error
    if not isinstance(found, dict):
        raise PermanentError(f"{path} is not the manifest of a sweep")
    return found


def _require_same(
    folder: Path, before: Mapping[str, object], now: Mapping[str, object]
) -> None:
    names = [name for name in {**before, **now} if before.get(name) != now.get(name)]
    if names:
        name = names[0]
        was, is_now = _as_named(before.get(name)), _as_named(now.get(name))
        change = f"now it is {is_now}" if was != is_now else "that has changed since"
        raise PermanentError(
            f"the sweep in {folder} was started with {name} = {was}, and {change};"
            " continue with the same, or use another folder with --output"
        )


def _as_named(value: object) -> str:
    """Return a value of the manifest as a person gave it, without fingerprints."""
    if value is None:
        return "none"
    if isinstance(value, list):
        return ", ".join(map(_as_named, value))[:200] or "none"
    if isinstance(value, dict) and "name" in value:
        return str(value["name"])[:200]
    return json.dumps(value)[:200]
