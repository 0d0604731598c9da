"""Reads the benchmark in its directory form, and in the form of shared JSON lines.

The directory form is that of the benchmark's repository:

    <benchmark>/wiki_data/cleaned_data/{article/*.md, statement/*.json}
    <benchmark>/test_data/agencies.json
    <benchmark>/test_data/<agency>/{md_data/*.md, json_data/*.json}

The shared form is a file of Good Articles (`articles*.jsonl[.gz]`), beside it
`agencies.json` and a folder `systems*/` with a file for each system.
"""

import gzip
import json
import zlib
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from bot.research.evaluation.wiki_live.forms import (
    REFERENCE_FACTS,
    GeneratedFile,
    GeneratedForm,
    JudgementsForm,
    Loose,
    ReferenceForm,
    Title,
    facts_in,
)
from bot.research.evaluation.wiki_live.values import Generated, Reference, shown
from handlers.ports import PermanentError

AGENCIES = "agencies.json"
ARTICLES = Path("wiki_data/cleaned_data/article")
FACTS = Path("wiki_data/cleaned_data/statement")
TEST_DATA = Path("test_data")
_MAX_LINE = 64_000_000  # bytes, decompressed
_MAX_FILE = 256_000_000
_LONGEST_NAME = 200  # bytes; file systems take 255, and an ending follows
_ENDS = (".jsonl.gz", ".jsonl")
_Form = TypeVar("_Form", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a benchmark lies. `articles` is a file where `is_directory` is false."""

    root: Path
    articles: Path
    is_directory: bool

    @property
    def name(self) -> str:
        """What it is called: its folder, such as 2025_Mar_Nov."""
        return self.root.resolve().name

    @property
    def registry(self) -> Path:
        """Return where its systems are registered."""
        return self.root / (TEST_DATA if self.is_directory else "") / AGENCIES

    def system(self, name: str) -> Path:
        """Return the file or folder of a system's articles, there or not.

        Raises:
            PermanentError: no system can be called so.
        """
        if not name or name in {".", ".."} or "/" in name or "\\" in name:
            raise PermanentError(f"{name!r} is no name of a system")
        if self.is_directory:
            return self.root / TEST_DATA / name / "json_data"
        folders = sorted(one for one in self.root.glob("systems*") if one.is_dir())
        files = [folder / f"{name}{end}" for folder in folders for end in _ENDS]
        missing = self.root / "systems" / f"{name}.jsonl.gz"
        return next((one for one in files if one.is_file()), missing)

    def systems(self) -> tuple[str, ...]:
        """Return the names of the systems of which there is an article."""
        if self.is_directory:
            found = (self.root / TEST_DATA).glob("*/json_data")
            return tuple(sorted(one.parent.name for one in found if one.is_dir()))
        names = (
            file.name.removesuffix(end)
            for end in _ENDS
            for file in self.root.glob(f"systems*/*{end}")
        )
        return tuple(sorted(set(names)))


def place_of(path: Path) -> Place:
    """Find out which form a benchmark has.

    Args:
        path: the folder of a benchmark, or the shared file of its articles.

    Raises:
        PermanentError: it is neither.
    """
    if path.is_file():
        return Place(path.parent, path, is_directory=False)
    if (path / ARTICLES).is_dir() or (path / FACTS).is_dir():
        return Place(path, path / ARTICLES, is_directory=True)
    shared = sorted(one for end in _ENDS for one in path.glob(f"articles*{end}"))
    if len(shared) == 1:
        return Place(path, shared[0], is_directory=False)
    why = f"{len(shared)} files articles*.jsonl" if shared else "neither form"
    raise PermanentError(
        f"{path} is no benchmark of Wiki Live Challenge ({why}): name a folder with"
        f" {ARTICLES} and {TEST_DATA}, or one file of articles (JSON lines)"
    )


def references(place: Place) -> tuple[Reference, ...]:
    """Return the Good Articles, those without facts among them.

    Raises:
        PermanentError: a file or line cannot be read; the message names it.
    """
    if place.is_directory:
        return tuple(_references_in(place))
    return tuple(
        form.value()
        for form, _ in _lines(place.articles, ReferenceForm, lambda _: True)
    )


def _references_in(place: Place) -> Iterator[Reference]:
    files = sorted((place.root / FACTS).glob("*.json"))
    if not files:
        raise PermanentError(
            f"{place.root / FACTS} has no statement file; `sidenote benchmark"
            " generate` makes one from each article"
        )
    for file in files:
        content = _content(file)
        try:
            facts = facts_in(REFERENCE_FACTS.validate_json(content))
        except ValidationError as error:
            raise PermanentError(f"{file}: {fault(error)}") from error
        text = place.root / ARTICLES / f"{file.stem}.md"
        markdown = _content(text).decode("utf-8", "replace") if text.is_file() else ""
        yield Reference(file.stem, markdown, facts)


class _Titled(Loose):
    title: Title


def articles_of(
    place: Place, system: str, titles: Collection[str] | None = None
) -> Iterator[Generated]:
    """Yield what a system wrote, one article in memory at a time.

    Args:
        place: of the benchmark.
        system: its name.
        titles: only these; else all.

    Raises:
        PermanentError: there is nothing of that system, or a file or line cannot be
            read; the message names it.
    """
    source = place.system(system)
    if not source.exists():
        known = ", ".join(place.systems()) or "none"
        raise PermanentError(f"{source} is missing; systems with articles: {known}")
    if not place.is_directory:
        wanted = _wanting(titles)
        for form, digest in _lines(source, GeneratedForm, wanted):
            yield form.value(digest)
        return
    for file in sorted(source.glob("*.json")):
        if titles is None or file.stem in titles:
            content = _content(file)
            article = parsed(file, content, GeneratedFile).article
            value = article.value(sha256(content).hexdigest())
            # The file's name is what pairs it with the Good Article.
            yield _renamed(value, file.stem)


def _renamed(value: Generated, stem: str) -> Generated:
    if value.title == stem:
        return value
    return Generated(
        stem,
        value.text,
        value.statements,
        value.citation_urls,
        value.pages,
        value.page_id,
        value.source_file,
        value.sha256,
    )


def _wanting(titles: Collection[str] | None) -> Callable[[bytes], bool]:
    """Return what tells whether a line is wanted, by its title alone."""
    if titles is None:
        return lambda _: True
    return lambda line: _Titled.model_validate_json(line).title in titles


def _lines(
    path: Path, form: type[_Form], wanted: Callable[[bytes], bool]
) -> Iterator[tuple[_Form, str]]:
    """Yield the wanted lines of a file with the fingerprint of each."""
    number = 0
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            while line := file.readline(_MAX_LINE + 1):
                number += 1
                if len(line) > _MAX_LINE:
                    raise PermanentError(
                        f"{path}, line {number}: longer than {_MAX_LINE:,} bytes"
                    )
                if line.strip() and wanted(line):
                    yield form.model_validate_json(line), sha256(line).hexdigest()
    except (OSError, EOFError, zlib.error) as error:
        raise PermanentError(f"{path} cannot be read ({error})") from error
    except ValidationError as error:
        raise PermanentError(f"{path}, line {number}: {fault(error)}") from error


def parsed(path: Path, content: bytes, form: type[_Form]) -> _Form:
    """Return what a file holds.

    Raises:
        PermanentError: it is not of that form; the message names file and line.
    """
    try:
        return form.model_validate_json(content)
    except ValidationError as error:
        raise PermanentError(f"{path}{_line(content)}: {fault(error)}") from error


def _line(content: bytes) -> str:
    """Return where JSON is broken; a wrong field is named by its path instead."""
    try:
        json.loads(content)
    except json.JSONDecodeError as error:
        return f", line {error.lineno}"
    except (ValueError, RecursionError):
        return ""
    return ""


def fault(error: ValidationError) -> str:
    """Return the first thing that is wrong, with its place in the JSON."""
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    return f"{where}: {first['msg']}" if where else str(first["msg"])


def _content(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            content = file.read(_MAX_FILE + 1)
    except OSError as error:
        raise PermanentError(
            f"{path} cannot be read ({error.strerror or error})"
        ) from error
    if len(content) > _MAX_FILE:
        raise PermanentError(f"{path} holds more than {_MAX_FILE:,} bytes")
    return content


def judgements(path: Path) -> tuple[JudgementsForm, str]:
    """Return a citation result file and its fingerprint.

    Raises:
        PermanentError: it is missing or no such file.
    """
    content = _content(path)
    return parsed(path, content, JudgementsForm), sha256(content).hexdigest()


def file_name(title: str) -> str:
    """Return what a file about an article is called, without its ending."""
    name = shown(title).replace(" ", "_").replace("/", "_").replace("\0", "_")
    raw = name.encode("utf-8", "replace")
    if len(raw) <= _LONGEST_NAME:
        return name
    return f"{raw[:_LONGEST_NAME].decode('utf-8', 'ignore')}-{sha256(raw).hexdigest()[:12]}"
