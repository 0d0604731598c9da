"""Reads Wiki Live Challenge, in its directory form and in the form of shared JSON lines.

A benchmark holds Good Articles with the facts taken out of them; each system wrote an
article of its own on each subject, with statements that cite pages, and the text of
those pages. They are read article by article: a system's file is larger than what should
lie in memory. The directory form is that of the benchmark's repository:

    <benchmark>/wiki_data/cleaned_data/{article/*.md, statement/*.json}
    <benchmark>/test_data/agencies.json
    <benchmark>/test_data/<agency>/{md_data/*.md, json_data/*.json}

The shared form is a file of Good Articles (`articles*.jsonl[.gz]`), beside it
`agencies.json` and a folder `systems*/` with a file for each system. The files are loose:
a reference is one number, a list or nothing, an address likewise, and a page that could
not be fetched has an error in place of a text. So all is checked where it enters.
"""

import gzip
import json
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, TypeAlias, TypeVar

from pydantic import (
    AfterValidator,
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
)

from bot.research.evaluation.datasets import content_of, first_fault
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
        return self.root.resolve().name

    @property
    def registry(self) -> Path:
        return self.root / (TEST_DATA if self.is_directory else "") / AGENCIES

    def system(self, name: str) -> Path:
        """Return the file or folder of a system's articles, there or not."""
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
        names = (
            file.name.removesuffix(end)
            for end in _ENDS
            for file in self.root.glob(f"systems*/*{end}")
        )
        return tuple(sorted(set(names)))


def place_of(path: Path) -> Place:
    """Find out which form a benchmark has."""
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


@dataclass(frozen=True, slots=True)
class Reference:
    """A Good Article: its text in Markdown, and its facts in their order."""

    title: str
    markdown: str
    facts: tuple[str, ...]
    extract: str = ""


def references(place: Place) -> tuple[Reference, ...]:
    """Return the Good Articles, those without facts among them."""
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
            raise PermanentError(f"{file}: {first_fault(error)}") from error
        text = place.root / ARTICLES / f"{file.stem}.md"
        markdown = _content(text).decode("utf-8", "replace") if text.is_file() else ""
        yield Reference(file.stem, markdown, facts)


def _in_one_form(title: str) -> str:
    return title.strip().replace(" ", "_")


# Most files write titles with underscores, some of them without.
Title: TypeAlias = Annotated[
    str, Field(min_length=1, max_length=500), AfterValidator(_in_one_form)
]


class Loose(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class _Titled(Loose):
    title: Title


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement of a generated article.

    `refs` are the numbers of its citations there; `urls` what they lead to, in no
    order that can be relied on.
    """

    text: str
    refs: tuple[str, ...] = ()
    urls: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CitedPage:
    """The text of a cited page as it was fetched; `error` tells why there is none."""

    url: str
    title: str = ""
    content: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True)
class Generated:
    """An article that a system wrote. `pages` are by the number of the citation."""

    title: str
    text: str
    statements: tuple[Statement, ...]
    citation_urls: Mapping[str, str] = field(default_factory=dict)
    pages: Mapping[str, CitedPage] = field(default_factory=dict)
    page_id: int | None = None
    source_file: str = ""
    sha256: str = ""  # of what it was read from


def articles_of(
    place: Place, system: str, titles: Collection[str] | None = None
) -> Iterator[Generated]:
    """Yield what a system wrote, one article in memory at a time."""
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
        raise PermanentError(f"{path}, line {number}: {first_fault(error)}") from error


def parsed(path: Path, content: bytes, form: type[_Form]) -> _Form:
    """Return what a file holds."""
    try:
        return form.model_validate_json(content)
    except ValidationError as error:
        raise PermanentError(f"{path}{_line(content)}: {first_fault(error)}") from error


def _line(content: bytes) -> str:
    """Return where JSON is broken; a wrong field is named by its path instead."""
    try:
        json.loads(content)
    except json.JSONDecodeError as error:
        return f", line {error.lineno}"
    except (ValueError, RecursionError):
        return ""
    return ""


def _content(path: Path) -> bytes:
    return content_of(path, most=_MAX_FILE)


_LONGEST_TEXT = 2_000_000  # characters of an article or a page


def _text(value: Any) -> Any:
    return "" if value is None else value


Text: TypeAlias = Annotated[
    str, BeforeValidator(_text), Field(max_length=_LONGEST_TEXT)
]


class JudgementForm(Loose):
    statement_index: int = Field(ge=0)
    statement: str
    citation_num: str
    citation_url: Text = ""
    verdict: str
    reason: Text = ""


class JudgementsForm(Loose):
    title: Title
    results: list[JudgementForm]


def judgements(path: Path) -> tuple[JudgementsForm, str]:
    """Return a citation result file and its fingerprint."""
    content = _content(path)
    return parsed(path, content, JudgementsForm), sha256(content).hexdigest()


def file_name(title: str) -> str:
    """Return what a file about an article is called, without its ending."""
    name = shown(title).replace(" ", "_").replace("/", "_").replace("\0", "_")
    raw = name.encode("utf-8", "replace")
    if len(raw) <= _LONGEST_NAME:
        return name
    return f"{raw[:_LONGEST_NAME].decode('utf-8', 'ignore')}-{sha256(raw).hexdigest()[:12]}"


@dataclass(frozen=True, slots=True)
class Agency:
    name: str
    description: str = ""
    has_citations: bool = True
    enabled: bool = True


def shown(title: str) -> str:
    """Return a title as people write it."""
    return title.replace("_", " ")


_LONGEST_STATEMENT = 20_000
_MOST = 20_000  # statements of an article


def _listed(value: Any) -> Any:
    """Return a list for a list, a single value or nothing."""
    if value is None or value == "":
        return []
    items = value if isinstance(value, list) else [value]
    return [
        str(one) if isinstance(one, int) else one for one in items if one is not None
    ]


def _items(value: Any) -> Any:
    return [] if value is None else value


def _object(value: Any) -> Any:
    return {} if value is None else value


def _cut(value: Any) -> Any:
    """Return the beginning of a page: one that is too long costs no article."""
    return value[:_LONGEST_TEXT] if isinstance(value, str) else _text(value)


Listed: TypeAlias = Annotated[list[str], BeforeValidator(_listed)]
Cut: TypeAlias = Annotated[str, BeforeValidator(_cut)]


class StatementForm(Loose):
    fact: Annotated[str, BeforeValidator(_text)] = Field(
        default="",
        max_length=_LONGEST_STATEMENT,
        validation_alias=AliasChoices("fact", "statement"),
    )
    ref_idx: Listed = []
    url: Listed = []


class PageForm(Loose):
    url: Text = ""
    title: Cut = ""
    content: Cut = ""
    error: Cut = ""


class GeneratedForm(Loose):
    title: Title
    extract: Text = ""
    pageid: int | None = None
    citation_urls: Annotated[dict[str, Text], BeforeValidator(_object)] = {}
    statements: Annotated[list[StatementForm], BeforeValidator(_items)] = Field(
        default=[], max_length=_MOST
    )
    citation_contents: Annotated[
        dict[str, Annotated[PageForm, BeforeValidator(_object)]],
        BeforeValidator(_object),
    ] = {}
    source_file: Text = ""

    def value(self, sha256: str) -> Generated:
        """Return what was read; statements without words keep their place."""
        return Generated(
            title=self.title,
            text=self.extract,
            statements=tuple(
                Statement(one.fact.strip(), tuple(one.ref_idx), tuple(one.url))
                for one in self.statements
            ),
            citation_urls=dict(self.citation_urls),
            pages={
                number: CitedPage(one.url, one.title, one.content, one.error)
                for number, one in self.citation_contents.items()
            },
            page_id=self.pageid,
            source_file=self.source_file,
            sha256=sha256,
        )


class _Pages(Loose):
    pages: dict[str, GeneratedForm] = Field(min_length=1, max_length=1)


class GeneratedFile(Loose):
    query: _Pages

    @property
    def article(self) -> GeneratedForm:
        return next(iter(self.query.pages.values()))


class ReferenceForm(Loose):
    title: Title
    article_markdown: Text = ""
    statements: list[str] = Field(default=[], max_length=_MOST)
    extract: Text = ""

    def value(self) -> Reference:
        facts = tuple(one.strip() for one in self.statements if one.strip())
        return Reference(self.title, self.article_markdown, facts, self.extract)


class _Fact(Loose):
    fact: str = Field(max_length=_LONGEST_STATEMENT)


class _ReferencePage(Loose):
    title: Text = ""
    extract: Text = ""
    statements: list[str | _Fact] = Field(default=[], max_length=_MOST)


class _ReferencePages(Loose):
    pages: dict[str, _ReferencePage] = Field(min_length=1)


class _ReferenceQuery(Loose):
    query: _ReferencePages


class _Statements(Loose):
    statements: list[str | _Fact] = Field(max_length=_MOST)


# The repository's page does not show a statement file of `wiki_data`; all of these
# are read: that of generated articles, an object with statements, and a bare list.
ReferenceFacts: TypeAlias = list[str | _Fact] | _Statements | _ReferenceQuery
REFERENCE_FACTS: TypeAdapter[ReferenceFacts] = TypeAdapter(ReferenceFacts)


def facts_in(form: ReferenceFacts) -> tuple[str, ...]:
    """Return the facts of a statement file, in whichever form it was."""
    if isinstance(form, _ReferenceQuery):
        found = next(iter(form.query.pages.values())).statements
    else:
        found = form.statements if isinstance(form, _Statements) else form
    texts = (one if isinstance(one, str) else one.fact for one in found)
    return tuple(one.strip() for one in texts if one.strip())


class AgencyForm(BaseModel):
    model_config = ConfigDict(extra="allow", frozen=True)
    name: str = Field(min_length=1, max_length=200)
    description: str = Field(default="", max_length=2_000)
    has_citations: bool = True
    enabled: bool = True

    def value(self) -> Agency:
        return Agency(self.name, self.description, self.has_citations, self.enabled)


class RegistryForm(BaseModel):
    model_config = ConfigDict(extra="allow")
    description: str = "Registered agencies for Wiki Live Challenge evaluation"
    version: str = "1.0"
    agencies: dict[str, AgencyForm]
