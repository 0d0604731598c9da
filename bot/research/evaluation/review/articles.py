"""Reads Wiki Live Challenge, as a directory or as shared JSON lines.

A benchmark holds Good Articles with the facts extracted from them; each system wrote
its own article on each subject, with statements that cite pages, and the text of those
pages. They are read article by article, because a system's file is too large to hold in
memory. The directory form is that of the benchmark's repository:

    <benchmark>/wiki_data/cleaned_data/{article/*.md, statement/*.json}
    <benchmark>/test_data/agencies.json
    <benchmark>/test_data/<agency>/{md_data/*.md, json_data/*.json}

The shared form is a file of Good Articles (`articles*.jsonl[.gz]`), and beside it
`agencies.json` and a folder `systems*/` with a file for each system. The files are
loosely structured: a reference or an address is a single value, a list or missing, and
a page that could not be fetched has an error in place of its text. So everything is
checked on input.
"""

import gzip
import json
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, TypeAlias, TypeVar

from pydantic import (
    AfterValidator,
    AliasChoices,
    BaseModel,
    BeforeValidator,
    Field,
    TypeAdapter,
    ValidationError,
)
from pydantic.dataclasses import dataclass

from bot.research.evaluation.datasets import content_of, first_fault
from handlers.ports import PermanentError

AGENCIES = "agencies.json"
ARTICLES = Path("wiki_data/cleaned_data/article")
FACTS = Path("wiki_data/cleaned_data/statement")
TEST_DATA = Path("test_data")
_MAX_LINE = 64_000_000  # bytes, decompressed
_MAX_FILE = 256_000_000
_LONGEST_NAME = 200  # bytes; file systems allow 255, and an ending follows
_LONGEST_TEXT = 2_000_000  # characters of an article or a page
_LONGEST_STATEMENT = 20_000
_MOST = 20_000  # statements in an article
_ENDS = (".jsonl.gz", ".jsonl")
_T = TypeVar("_T")


@dataclass(frozen=True)
class Place:
    """Where a benchmark is. `articles` is a file if `is_directory` is false."""

    root: Path
    articles: Path
    is_directory: bool

    @property
    def name(self) -> str:
        return self.root.resolve().name

    @property
    def registry(self) -> Path:
        return self.root / (TEST_DATA if self.is_directory else "") / AGENCIES

    def system(self, name: str) -> Path:
        """Return the file or folder of a system's articles; it may not exist."""
        if not name or name in {".", ".."} or "/" in name or "\\" in name:
            raise PermanentError(f"{name!r} is no name of a system")
        if self.is_directory:
            return self.root / TEST_DATA / name / "json_data"
        folders = sorted(one for one in self.root.glob("systems*") if one.is_dir())
        files = [folder / f"{name}{end}" for folder in folders for end in _ENDS]
        missing = self.root / "systems" / f"{name}.jsonl.gz"
        return next((one for one in files if one.is_file()), missing)

    def systems(self) -> tuple[str, ...]:
        if self.is_directory:
            found = (self.root / TEST_DATA).glob("*/json_data")
            return tuple(sorted(one.parent.name for one in found if one.is_dir()))
        names = {
            file.name.removesuffix(end)
            for end in _ENDS
            for file in self.root.glob(f"systems*/*{end}")
        }
        return tuple(sorted(names))


def place_of(path: Path) -> Place:
    """Find out which form a benchmark has: a folder, or the shared file of articles."""
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


def _in_one_form(title: str) -> str:
    return title.strip().replace(" ", "_")


def _listed(value: Any) -> Any:
    """Return a list, whether the value is a list, a single value or missing."""
    if value is None or value == "":
        return ()
    items = value if isinstance(value, list | tuple) else (value,)
    return [
        str(one) if isinstance(one, int) else one for one in items if one is not None
    ]


def _statements_in(value: Any) -> Any:
    """Return the facts of a statement file.

    The repository's page shows no such file of `wiki_data`, so several forms are read:
    that of generated articles, an object with statements, and a bare list.
    """
    with suppress(AttributeError, KeyError, StopIteration, TypeError):
        value = next(iter(value["query"]["pages"].values()))
    value = value.get("statements") if isinstance(value, dict) else value
    if not isinstance(value, list):
        return value
    return [one.get("fact") if isinstance(one, dict) else one for one in value]


def _or(empty: Any) -> BeforeValidator:
    return BeforeValidator(lambda value: empty if value is None else value)


# Most files write titles with underscores, but some do not.
Title: TypeAlias = Annotated[
    str, Field(min_length=1, max_length=500), AfterValidator(_in_one_form)
]
Text: TypeAlias = Annotated[str, _or(""), Field(max_length=_LONGEST_TEXT)]
Listed: TypeAlias = Annotated[tuple[str, ...], BeforeValidator(_listed)]
# Only the beginning of a page, so that one too long does not cost the article.
Cut: TypeAlias = Annotated[
    str, _or(""), AfterValidator(lambda text: text[:_LONGEST_TEXT])
]
Facts: TypeAlias = Annotated[
    tuple[Annotated[str, Field(max_length=_LONGEST_STATEMENT)], ...],
    BeforeValidator(_statements_in),
    Field(max_length=_MOST),
    AfterValidator(lambda facts: tuple(one.strip() for one in facts if one.strip())),
]
_FACTS: TypeAdapter[tuple[str, ...]] = TypeAdapter(Facts)


@dataclass(frozen=True)
class Reference:
    """A Good Article: its text in Markdown, and its facts in order."""

    title: Title
    markdown: Text = Field(
        default="", validation_alias=AliasChoices("article_markdown", "markdown")
    )
    facts: Facts = Field(
        default=(), validation_alias=AliasChoices("statements", "facts")
    )
    extract: Text = ""


@dataclass(frozen=True)
class Statement:
    """A statement of a generated article; in some data its words are missing.

    `refs` are the numbers of its citations there; `urls` are the addresses they lead
    to, in no reliable order.
    """

    text: Annotated[
        str, _or(""), AfterValidator(str.strip), Field(max_length=_LONGEST_STATEMENT)
    ] = Field(default="", validation_alias=AliasChoices("fact", "statement", "text"))
    refs: Listed = Field(default=(), validation_alias=AliasChoices("ref_idx", "refs"))
    urls: Listed = Field(default=(), validation_alias=AliasChoices("url", "urls"))


@dataclass(frozen=True)
class CitedPage:
    """The text of a cited page as it was fetched; `error` says why there is none."""

    url: Text = ""
    title: Cut = ""
    content: Cut = ""
    error: Cut = ""


@dataclass(frozen=True)
class Generated:
    """An article that a system wrote. The keys of `pages` are citation numbers."""

    title: Title
    text: Text = Field(default="", validation_alias=AliasChoices("extract", "text"))
    statements: Annotated[tuple[Statement, ...], _or(()), Field(max_length=_MOST)] = ()
    citation_urls: Annotated[Mapping[str, Text], _or({})] = Field(default_factory=dict)
    pages: Annotated[Mapping[str, Annotated[CitedPage, _or({})]], _or({})] = Field(
        default_factory=dict,
        validation_alias=AliasChoices("citation_contents", "pages"),
    )
    page_id: int | None = Field(
        default=None, validation_alias=AliasChoices("pageid", "page_id")
    )
    source_file: Text = ""
    sha256: str = ""  # of the data it was read from


class _Pages(BaseModel):
    pages: dict[str, Generated] = Field(min_length=1, max_length=1)


class _File(BaseModel):
    query: _Pages


@dataclass(frozen=True)
class _Titled:
    title: Title


_TITLED = TypeAdapter(_Titled)
GENERATED = TypeAdapter(Generated)
_FILE = TypeAdapter(_File)
_REFERENCE = TypeAdapter(Reference)


@dataclass(frozen=True)
class Judgement:
    """One statement in a citation result file."""

    statement_index: Annotated[int, Field(ge=0)]
    statement: str
    citation_num: str
    verdict: str
    citation_url: Text = ""
    reason: Text = ""


@dataclass(frozen=True)
class Judgements:
    """A citation result file of one article."""

    title: Title
    results: list[Judgement]


@dataclass(frozen=True)
class Agency:
    """A system that takes part, as listed in the benchmark's registry."""

    name: Annotated[str, Field(min_length=1, max_length=200)]
    description: Annotated[str, Field(max_length=2_000)] = ""
    has_citations: bool = True
    enabled: bool = True


class Registry(BaseModel):
    """The registry, `agencies.json`."""

    agencies: dict[str, Agency]


def references(place: Place) -> tuple[Reference, ...]:
    """Return the Good Articles, including those without facts."""
    if not place.is_directory:
        lines = _lines(place.articles, _REFERENCE, lambda _: True)
        return tuple(one for one, _ in lines)
    files = sorted((place.root / FACTS).glob("*.json"))
    if not files:
        raise PermanentError(
            f"{place.root / FACTS} has no statement file; `sidenote benchmark"
            " generate` makes one from each article"
        )
    found = []
    for file in files:
        facts = parsed(file, _content(file), _FACTS)
        text = place.root / ARTICLES / f"{file.stem}.md"
        markdown = _content(text).decode("utf-8", "replace") if text.is_file() else ""
        found.append(Reference(file.stem, markdown, facts))
    return tuple(found)


def articles_of(
    place: Place, system: str, titles: Collection[str] | None = None
) -> Iterator[Generated]:
    """Yield a system's articles on these titles, or all; one is in memory at a time."""
    source = place.system(system)
    if not source.exists():
        known = ", ".join(place.systems()) or "none"
        raise PermanentError(f"{source} is missing; systems with articles: {known}")
    if not place.is_directory:
        yield from articles_in(source, titles)
        return
    for file in sorted(source.glob("*.json")):
        # An article is matched with the Good Article by its file's name.
        if titles is None or _in_one_form(file.stem) in titles:
            content = _content(file)
            digest = sha256(content).hexdigest()
            yield replace(article_in(file, content), title=file.stem, sha256=digest)


def articles_in(
    path: Path, titles: Collection[str] | None = None
) -> Iterator[Generated]:
    """Yield the articles of a system's shared file on these titles, or all of them."""

    def is_wanted(line: bytes) -> bool:
        return titles is None or _TITLED.validate_json(line).title in titles

    for article, digest in _lines(path, GENERATED, is_wanted):
        yield replace(article, sha256=digest)


def article_in(path: Path, content: bytes) -> Generated:
    """Return the one article in a file of `json_data/`."""
    return next(iter(parsed(path, content, _FILE).query.pages.values()))


def judgements(path: Path) -> tuple[Judgements, str]:
    """Return a citation result file and its fingerprint."""
    content = _content(path)
    judged = parsed(path, content, TypeAdapter(Judgements))
    return judged, sha256(content).hexdigest()


def is_in_place(judged: Judgement, article: Generated) -> bool:
    """Return whether the statement that was judged is in the article, unchanged."""
    at = judged.statement_index
    return (
        at < len(article.statements)
        and article.statements[at].text == judged.statement.strip()
    )


def _lines(
    path: Path, form: TypeAdapter[_T], is_wanted: Callable[[bytes], bool]
) -> Iterator[tuple[_T, str]]:
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
                if line.strip() and is_wanted(line):
                    yield form.validate_json(line), sha256(line).hexdigest()
    except (OSError, EOFError, zlib.error) as error:
        raise PermanentError(f"{path} cannot be read ({error})") from error
    except ValidationError as error:
        raise PermanentError(f"{path}, line {number}: {first_fault(error)}") from error


def parsed(path: Path, content: bytes, form: TypeAdapter[_T]) -> _T:
    """Return a file's content; errors are reported with their line or field."""
    try:
        return form.validate_json(content)
    except ValidationError as error:
        at = ""
        with suppress(RecursionError):
            try:
                json.loads(content)
            except json.JSONDecodeError as broken:
                at = f", line {broken.lineno}"
            except ValueError:
                pass
        raise PermanentError(f"{path}{at}: {first_fault(error)}") from error


def _content(path: Path) -> bytes:
    return content_of(path, most=_MAX_FILE)


def file_name(title: str) -> str:
    """Return the name of a file about an article, without its ending."""
    name = title.replace(" ", "_").replace("/", "_").replace("\0", "_")
    raw = name.encode("utf-8", "replace")
    if len(raw) <= _LONGEST_NAME:
        return name
    return f"{raw[:_LONGEST_NAME].decode('utf-8', 'ignore')}-{sha256(raw).hexdigest()[:12]}"


def shown(title: str) -> str:
    """Return a title as people write it."""
    return title.replace("_", " ")
