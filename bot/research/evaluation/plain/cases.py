"""Reads plain cases: files of JSON lines, beside a folder of pages with its index.

A line that cannot be used stops the evaluation: a figure over fewer cases than were
written would look like any other.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
    model_validator,
)

from bot.report import Standing
from bot.research.evaluation.datasets import Unscored
from bot.sources.folder import Entry, entries
from handlers.ports import PermanentError

_PAGES = "pages"


class Header(BaseModel):
    """What names the cell: the infobox's field, or the table's row and column."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    field: str | None = Field(None, min_length=1)
    row: str | None = Field(None, min_length=1)
    column: str | None = Field(None, min_length=1)

    @model_validator(mode="after")
    def _names_one_cell(self) -> Self:
        in_table = self.row is not None and self.column is not None
        in_part = self.row is not None or self.column is not None
        if (self.field is not None) == in_table or in_table != in_part:
            raise ValueError("give either a field, or a row and a column")
        return self


class _Written(BaseModel):
    """One line of the file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str = Field(min_length=1)
    page: str
    claim: str = Field(min_length=1)
    verdict: Standing
    kind: str = Field(min_length=1)
    title: str = "Plain case"
    section: str | None = None
    header: Header | None = None

    @field_validator("verdict")
    @classmethod
    def _about_a_source(cls, verdict: Standing) -> Standing:
        if verdict is Standing.NO_CITATION:
            raise ValueError("every case has a citation")
        return verdict


@dataclass(frozen=True, slots=True)
class Case:
    """A claim or a cell, and the verdict on it; `kind` is what is hard about it."""

    id: str
    file: str  # that it was read from
    kind: str
    claim: str
    title: str  # of the article
    page: str  # name of its file
    header: Header | None
    verdict: Standing
    wikitext: str  # of an article that says nothing else, and cites the page


@dataclass(frozen=True, slots=True)
class Cases:
    """The cases of one file or more, and the folder that holds their pages."""

    file: str  # names, with commas between them
    sha256: str  # of the files, one after the other
    cases: tuple[Case, ...]
    pages: Path
    unscored: tuple[Unscored, ...] = ()

    @property
    def row_count(self) -> int:
        """Return the number of cases."""
        return len(self.cases)


def read_cases(first: Path, *others: Path) -> Cases:
    """Read all cases of files; their pages are in the folder `pages` beside the first.

    Raises:
        PermanentError: a file, a line of it or the folder cannot be used; the
            message names the file and the line.
    """
    contents = {path: _content(path) for path in (first, *others)}
    folder = first.resolve().parent / _PAGES
    if not folder.is_dir():
        raise PermanentError(f"{first}: there is no folder {_PAGES} beside it")
    pages = {entry.file.name: entry for entry in entries(folder)}
    lines: dict[str, str] = {}  # by the case's id
    cases: list[Case] = []
    for path, content in contents.items():
        found = tuple(_cases(path, content, pages, lines))
        if not found:
            raise PermanentError(f"{path} holds no case")
        cases += found
    return Cases(
        ", ".join(path.name for path in contents),
        sha256(b"".join(contents.values())).hexdigest(),
        tuple(cases),
        folder,
    )


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise PermanentError(
            f"{path} cannot be read ({error.strerror or error})"
        ) from error


def _cases(
    path: Path, content: bytes, pages: Mapping[str, Entry], lines: dict[str, str]
) -> Iterator[Case]:
    for number, line in enumerate(content.split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            written = _Written.model_validate(json.loads(line))
            entry = _page_of(written, pages)
            _keep_apart(written, lines)
        except (ValueError, RecursionError) as error:
            raise PermanentError(f"{path}: line {number}: {_told(error)}") from error
        lines[written.id] = f"line {number} of {path.name}"
        yield _case(written, entry, path.name)


def _page_of(written: _Written, pages: Mapping[str, Entry]) -> Entry:
    if written.page not in pages:
        raise ValueError(f"the index of pages lists no file {written.page!r}")
    return pages[written.page]


def _keep_apart(written: _Written, lines: Mapping[str, str]) -> None:
    if written.id in lines:
        raise ValueError(f"the id {written.id!r} is that of {lines[written.id]}")


def _told(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError | UnicodeDecodeError):
        return f"is not JSON in UTF-8 ({error})"
    if not isinstance(error, ValidationError):
        return str(error)
    fault = error.errors()[0]
    place = ".".join(str(part) for part in fault["loc"])
    said = fault["msg"].removeprefix("Value error, ")
    return f"{place}: {said}" if place else said


def _case(written: _Written, entry: Entry, file: str) -> Case:
    return Case(
        id=written.id,
        file=file,
        kind=written.kind,
        claim=written.claim,
        title=written.title,
        page=written.page,
        header=written.header,
        verdict=written.verdict,
        wikitext=_wikitext(written, entry),
    )


def _wikitext(written: _Written, entry: Entry) -> str:
    title = (entry.title or entry.file.name).replace("|", "{{!}}")
    cited = (
        f"{written.claim}<ref>{{{{cite web |url={entry.url} |title={title}}}}}</ref>"
    )
    heading = f"== {written.section} ==\n" if written.section else ""
    return heading + _placed(cited, written.header) + "\n"


def _placed(cited: str, header: Header | None) -> str:
    if header is None:
        return cited
    if header.field is not None:
        return f"{{{{Infobox\n| {header.field} = {cited}\n}}}}"
    return (
        '{| class="wikitable"\n'
        f"! !! {header.column}\n|-\n! {header.row}\n| {cited}\n|}}"
    )
