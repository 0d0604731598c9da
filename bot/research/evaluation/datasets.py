"""Reads rows of claim, evidence and label: JSON lines, plain or gzipped.

A row that cannot be used is kept with its line and the reason, so that a score says
what it leaves out; a file that cannot be used at all raises a `PermanentError`.
"""

import gzip
import json
import re
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from hashlib import sha256
from itertools import accumulate
from pathlib import Path
from typing import Any, Generic, TypeAlias, TypeVar

from pydantic import ValidationError

from handlers.citations.passages import cut
from handlers.model import Claim, ClaimKind, Passage, SourceText, Span, Verdict
from handlers.ports import PermanentError
from handlers.updates.entailment import claim_of

# What data sets add to their texts for their own purposes: citation marks, wiki links,
# and the bracket names of old treebanks.
_CITATION_MARK = re.compile(r"\[?<\|\w{1,40}\|>\]?")
_FOOTNOTE_MARK = re.compile(r"\[\d{1,3}\]")
_WIKI_LINK = re.compile(r"\[\[(?:[^\[\]|\n]{0,200}\|)?([^\[\]|\n]{1,200})\]\]")
_BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]"}


WIKI = "en.wikipedia.org"  # which the articles and claims of all data sets are from
FEWEST_WORDS = 20  # of a page; one with less is an error message or an empty shell


class Label(Enum):
    SUPPORTED = "supported"
    PARTIALLY_SUPPORTED = "partially_supported"
    NOT_SUPPORTED = "not_supported"
    NOT_ENOUGH_INFORMATION = "nei"
    REFUTED = "refuted"

    @property
    def verdict(self) -> Verdict:
        return {
            Label.SUPPORTED: Verdict.SUPPORTED,
            Label.PARTIALLY_SUPPORTED: Verdict.PARTIALLY_SUPPORTED,
            Label.REFUTED: Verdict.CONTRADICTED,
        }.get(self, Verdict.NOT_SUPPORTED)


@dataclass(frozen=True, slots=True)
class Row:
    """A claim, the evidence it is to be judged by, and what annotators said.

    `supporting` holds alternative sets of indices into `evidence`, each of which is
    enough; it is empty if the data does not say. `unsupported_words` marks the words of
    the claim that lack support, in the data's own words. `header` describes the cell
    that the claim is, such as "Infobox Erin, Born" or "Table Results, 1990, Points".
    Rows of one `pair` state the same except for one detail.
    """

    id: str
    set: str
    claim: str
    evidence: tuple[str, ...]
    label: Label
    group: str
    openly_licensed: bool
    title: str = ""
    section: tuple[str, ...] = ()
    context: str = ""
    supporting: tuple[tuple[int, ...], ...] = ()
    unsupported_words: tuple[tuple[str, bool], ...] = ()
    address: str = ""  # of the cited page, if the data says
    page_title: str = ""  # of that page
    header: str = ""
    pair: str = ""
    marked: tuple[str, ...] = ()  # passages of the claim that lack support
    kind: str = ""  # of the edit that made it from the other row of its pair
    side: str = ""  # of a harmless edit: "before" or "after"


@dataclass(frozen=True, slots=True)
class Unscored:
    """A line that could not be used. `set` is empty if even that is unknown.

    `line` is 0 if the reason names the row in another way.
    """

    line: int
    set: str
    reason: str


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class FileRows(Generic[T]):
    file: str
    sha256: str
    rows: tuple[T, ...]
    unscored: tuple[Unscored, ...]

    @property
    def row_count(self) -> int:
        return len(self.rows) + len(self.unscored)


DataSet: TypeAlias = FileRows[Row]


@dataclass(frozen=True, slots=True)
class Data:
    """What figures are based on, if that is not exactly the rows of one file."""

    file: str
    sha256: str
    row_count: int
    unscored: tuple[Unscored, ...]


class UnusableError(Exception):
    """A row lacks something; the message says what."""


def read_json_lines(
    path: Path,
    read: Callable[[int, Mapping[str, Any]], T],
    *,
    needs: str,
    name: str | None = None,
) -> FileRows[T]:
    """Read a file of JSON objects, one per line, plain or gzipped (.gz)."""
    content = content_of(path, f"; pass a .jsonl or .jsonl.gz file of {needs}.")
    rows: list[T] = []
    unscored: list[Unscored] = []
    for number, line in lines_in(path, content):
        fields: Mapping[str, Any] = {}
        try:
            fields = object_in(line)
            rows.append(read(number, fields))
        except UnusableError as error:
            of = str(fields.get("set", "")) if name is None else name
            unscored.append(Unscored(number, of, str(error)))
    if not rows:
        raise PermanentError(
            f"{path} has no usable row (line {unscored[0].line}: {unscored[0].reason});"
            f" each row needs {needs}."
            if unscored
            else f"{path} is empty: it has no usable row; pass a file with one JSON row a line."
        )
    return FileRows(
        path.name, sha256(content).hexdigest(), tuple(rows), tuple(unscored)
    )


def content_of(path: Path, advice: str = "", most: int | None = None) -> bytes:
    try:
        with path.open("rb") as file:
            content = file.read(-1 if most is None else most + 1)
    except OSError as error:
        raise PermanentError(
            f"{path} cannot be read ({error.strerror or error}){advice}"
        ) from error
    if most is not None and len(content) > most:
        raise PermanentError(f"{path} holds more than {most:,} bytes")
    return content


def lines_in(path: Path, content: bytes) -> Iterator[tuple[int, bytes]]:
    """Return the lines that are not blank, numbered from 1."""
    try:
        text = gzip.decompress(content) if path.suffix == ".gz" else content
    except (OSError, EOFError, zlib.error) as error:
        raise PermanentError(
            f"{path} is not a complete gzip file ({error}); fetch it again."
        ) from error
    return (
        (number, line)
        for number, line in enumerate(text.split(b"\n"), start=1)
        if line.strip()
    )


def object_in(line: bytes) -> Mapping[str, Any]:
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UnusableError(f"not JSON ({error})") from error
    if not isinstance(fields, dict):
        raise UnusableError("not a JSON object")
    return fields


def first_fault(error: ValidationError, whole: str = "") -> str:
    """Return the first error with its place, or with `whole` if it has none."""
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"]) or whole
    message = first["msg"].removeprefix("Value error, ")
    return f"{where}: {message}" if where else message


def read_rows(path: Path) -> DataSet:
    return read_json_lines(path, _row, needs="claim, evidence and label")


UNNAMED = "unnamed"  # the set of rows that do not name one


def _row(number: int, fields: Mapping[str, Any]) -> Row:
    meta = fields.get("meta")
    meta = meta if isinstance(meta, dict) else {}
    evidence = _evidence(fields)
    return Row(
        id=str(fields.get("id", number)),
        set=_optional_text(fields, "set") or UNNAMED,
        claim=_text(fields, "claim"),
        evidence=evidence,
        label=_label(fields, meta),
        group=str(fields.get("group", number)),
        openly_licensed=fields.get("openly_licensed") is True,
        title=_first_text(meta, "claim_title", "title"),
        section=_section(meta),
        context=_FOOTNOTE_MARK.sub("", _first_text(meta, "claim_context", "context")),
        supporting=_supporting(meta, len(evidence)),
        unsupported_words=_marked_words(meta),
        address=_address(meta),
        page_title=_optional_text(meta, "page_title"),
        header=_optional_text(meta, "header").strip(),
        pair=_optional_text(meta, "pair"),
        marked=tuple(map(str, meta.get("marked") or ())),
        kind=_optional_text(meta, "kind"),
        side=_optional_text(meta, "side"),
    )


def _text(fields: Mapping[str, Any], name: str) -> str:
    value = fields.get(name)
    if not isinstance(value, str) or not value.strip():
        raise UnusableError(f"{name} is not a text")
    return _plain(value)


def _optional_text(fields: Mapping[str, Any], name: str) -> str:
    value = fields.get(name)
    return _plain(value) if isinstance(value, str) else ""


def _first_text(fields: Mapping[str, Any], *names: str) -> str:
    texts = (_optional_text(fields, name) for name in names)
    return next((text for text in texts if text), "")


def _plain(text: str) -> str:
    for name, sign in _BRACKETS.items():
        text = text.replace(name, sign)
    return _WIKI_LINK.sub(r"\1", _CITATION_MARK.sub("", text))


def _evidence(fields: Mapping[str, Any]) -> tuple[str, ...]:
    value = fields.get("evidence")
    parts = [value] if isinstance(value, str) else value
    if not isinstance(parts, list) or not all(isinstance(p, str) for p in parts):
        raise UnusableError("evidence is neither a text nor a list of texts")
    if not any(part.strip() for part in parts):
        raise UnusableError("evidence is empty")
    return tuple(_plain(part) for part in parts)


def _label(fields: Mapping[str, Any], meta: Mapping[str, Any]) -> Label:
    try:
        label = Label(fields.get("label"))
    except ValueError as error:
        known = ", ".join(label.value for label in Label)
        raise UnusableError(
            f"label {fields.get('label')!r} is none of {known}"
        ) from error
    # None of WiCE's three labels means a contradiction, so rows in its form mark it.
    is_refuted = label is Label.NOT_SUPPORTED and meta.get("contradicted") is True
    return Label.REFUTED if is_refuted else label


def _section(meta: Mapping[str, Any]) -> tuple[str, ...]:
    listed = meta.get("section")
    if isinstance(listed, list):
        parts = [_plain(part) for part in listed if isinstance(part, str)]
    else:
        text = _first_text(meta, "claim_section", "section")
        parts = text.rstrip(".").split(".:")
    return tuple(part.strip() for part in parts if part.strip())


def _address(meta: Mapping[str, Any]) -> str:
    """Return the first cited address, under the names that data sets use."""
    links = meta.get("citation_links")
    listed = links if isinstance(links, list) else []
    named = [meta.get("url"), meta.get("citation_url"), *listed]
    return next((one for one in named if isinstance(one, str) and one), "")


def _supporting(meta: Mapping[str, Any], count: int) -> tuple[tuple[int, ...], ...]:
    value = meta.get("supporting_sentences")
    sets = value if isinstance(value, list) else []
    chosen = [one for one in sets if isinstance(one, list) and one]
    if not all(isinstance(at, int) and 0 <= at < count for one in chosen for at in one):
        raise UnusableError("supporting_sentences points outside the evidence")
    return tuple(tuple(one) for one in chosen)


def _marked_words(meta: Mapping[str, Any]) -> tuple[tuple[str, bool], ...]:
    tokens, marks = meta.get("claim_tokens"), meta.get("non_supported_spans")
    if not isinstance(tokens, list) or not isinstance(marks, list):
        return ()
    if len(tokens) != len(marks):
        raise UnusableError("claim_tokens and non_supported_spans differ in length")
    return tuple(
        (str(token), bool(mark)) for token, mark in zip(tokens, marks, strict=True)
    )


@dataclass(frozen=True, slots=True)
class Case:
    """A claim with the passages of its evidence.

    `sentences` are the places of the row's evidence sentences in the source text
    that the passages were cut from.
    """

    row: Row
    claim: Claim
    passages: tuple[Passage, ...]
    sentences: tuple[Span, ...]


def case(row: Row) -> Case:
    """Join the evidence into one source, a line each, and cut it like a real one."""
    text = SourceText("\n".join(row.evidence), title=row.page_title or None)
    claim = claim_of(row.claim, section=row.section, context=row.context)
    if row.header:
        claim = _as_cell(claim, row.header)
    ends = list(accumulate(len(one) + 1 for one in row.evidence))
    return Case(
        row,
        claim,
        cut(text, "evidence"),
        tuple(
            Span(end - len(one) - 1, end - 1)
            for one, end in zip(row.evidence, ends, strict=True)
        ),
    )


def _as_cell(claim: Claim, header: str) -> Claim:
    """Return the claim as the cell that `header` describes.

    An infobox only has fields. Articles rarely caption their tables; the title of a
    table is then its heading, so the caption is used as the section if none is known.
    """
    holder, _, place = header.partition(", ")
    word, _, caption = holder.partition(" ")
    section = claim.section or ((caption,) if caption else ())
    if word == "Infobox":
        kind, row, column = ClaimKind.INFOBOX_VALUE, place, ""
    else:
        kind = ClaimKind.TABLE_CELL
        row, comma, column = place.rpartition(", ")
        row, column = (row, column) if comma else (place or holder, "")
    return replace(
        claim, kind=kind, section=section, row=row or None, column=column or None
    )
