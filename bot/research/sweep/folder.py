"""The folder that a sweep writes to: what it was begun with, and what is done.

The manifest holds the fingerprint of the input and all settings that the figures rest
on. A sweep goes on only with the same ones: shards of two inputs, or of two engines,
must never be added up.
"""

import fcntl
import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from bot.research.sweep.columns import described
from bot.research.sweep.counts import DamagedStream, Shard
from bot.research.sweep.shards import Places, write_note
from handlers.ports import PermanentError

_MANIFEST = "manifest.json"
_FORMAT = 1
_SAMPLE_BYTES = 64 * 1024
_SAMPLES = 32  # of a file, spread over it: dumps are too long to read for this alone


@dataclass(frozen=True, slots=True)
class SweepFolder:
    """A folder of shards that belong together."""

    path: Path

    @property
    def places(self) -> Places:
        """Where the shards lie."""
        return Places(self.path)

    @contextmanager
    def opened(self, begun_with: Mapping[str, object]) -> Iterator[None]:
        """Hold the folder for one sweep, begun with those settings or going on.

        Raises:
            PermanentError: it belongs to another sweep, or one is at work in it.
        """
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
                    f"another sweep is at work in {self.path}; wait for it, or name"
                    " another folder"
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
                f"{self.path} is not empty and holds no sweep; name another folder"
            )
        for pattern in (".*.part", "*/.*.part"):  # of a process that was killed
            for orphan in self.path.glob(pattern):
                orphan.unlink(missing_ok=True)
        for number in self.done():  # made by one that was killed right after
            self.places.passing(number).unlink(missing_ok=True)
        write_note(manifest, json.dumps(wanted, indent=1) + "\n")
        self.places.make()
        write_note(self.path / "COLUMNS.md", described())

    def _holds_only_ours(self) -> bool:
        """Tell whether nothing is here but what a sweep leaves that never began."""
        ours = {".lock", "COLUMNS.md", *(one.name for one in self.places.folders())}
        names = (one.name for one in self.path.iterdir())
        return not self.done() and all(
            name in ours or name.startswith(".manifest") for name in names
        )

    def forget(self) -> None:
        """Let the folder be begun with something else, if no shard of it is there."""
        if not self.done():
            (self.path / _MANIFEST).unlink(missing_ok=True)
            for folder in self.places.folders():
                for begun in folder.glob("*"):
                    begun.unlink(missing_ok=True)

    def begun_with(self) -> Mapping[str, object]:
        """Return what the manifest holds."""
        return _manifest(self.path / _MANIFEST)

    def done(self) -> frozenset[int]:
        """Return the numbers of the shards that are there."""
        notes = (self.path / "shards").glob("*.json")
        return frozenset(int(note.stem) for note in notes if note.stem.isdecimal())

    def shards(self) -> Iterator[Shard]:
        """Yield the notes of all shards, in order.

        Raises:
            PermanentError: one is damaged; the message says what to do.
        """
        for number in sorted(self.done()):
            note = self.places.note(number)
            try:
                yield Shard.model_validate_json(note.read_bytes())
            except (OSError, ValidationError) as error:
                raise PermanentError(
                    f"the shard {note} is damaged; delete it and run the sweep again"
                ) from error

    # --- inputs that can only be read from beginning to end ---------------------

    def ended(self, place: Path) -> tuple[int, list[DamagedStream]] | None:
        """Return how many portions an input gave, if it was read to its end once."""
        with suppress(OSError, ValueError, KeyError, TypeError):
            told = json.loads(self._end_of(place).read_bytes())
            damaged = [DamagedStream(**one) for one in told["damaged"]]
            return int(told["portions"]), damaged
        return None

    def end(self, place: Path, portions: int, damaged: list[DamagedStream]) -> None:
        """Keep that an input was read to its end, and what was damaged of it."""
        told = {"portions": portions, "damaged": [one.model_dump() for one in damaged]}
        write_note(self._end_of(place), json.dumps(told) + "\n")

    def _end_of(self, place: Path) -> Path:
        name = hashlib.sha256(str(place).encode("utf-8", "replace")).hexdigest()[:16]
        return self.path / "passing" / f"{name}.end"


def fingerprint(path: Path) -> dict[str, object]:
    """Return what tells one input from another: name, size, and samples of it all."""
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
        was, is_now = _told(before.get(name)), _told(now.get(name))
        change = f"now it is {is_now}" if was != is_now else "that has changed since"
        raise PermanentError(
            f"the sweep in {folder} was begun with {name} = {was}, and {change};"
            " go on with the same, or name another folder with --output"
        )


def _told(value: object) -> str:
    """Return a value of the manifest as a person named it, without fingerprints."""
    if value is None:
        return "none"
    if isinstance(value, list):
        return ", ".join(map(_told, value))[:200] or "none"
    if isinstance(value, dict) and "name" in value:
        return str(value["name"])[:200]
    return json.dumps(value)[:200]
