"""Reads PDFs with pypdf, as nobody else: text page by page, and metadata.

pypdf bounds what a hostile file makes it do; its limits are lowered here to
what papers and reports need, so that a file of 2 KB cannot claim half a
gigabyte. Runs in a child process.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from io import BytesIO
from typing import Any

from pypdf import PageObject, PasswordType, PdfReader, apply_configuration
from pypdf.errors import DependencyError, LimitReachedError, PyPdfError

from bot.sources.extraction.columns import are_typed_across
from bot.sources.extraction.pdf_visibility import Layers, PageDrawing
from bot.sources.extraction.signs import LOWERED, RAISED
from bot.sources.extraction.text import Extraction, clean_line, read, unwrap
from handlers.model import MissingKind, MissingPiece, SourceOutcome, SourceText

_MAX_PAGES = 2000
_MAX_CHARS = 3_000_000
_MAX_STREAM_BYTES = 20_000_000
_FEWEST_HIDDEN_CHARS = 40  # a sentence; fewer are spaces and numbers of pages
_FEWEST_CHARS = 200  # of a page; a stamp, a number and a running head have fewer
_SHORTEST_WITH_COVERS = 4  # pages
_MOST_RUNS = 6
_SHORTEST_COLUMN_LINE = 20  # characters
_DATE = re.compile(r"(?:D:)?(\d{4})(\d{2})?(\d{2})?")
_EMPTY_TITLES = re.compile(
    r"(?:untitled|microsoft word - .*|.*\.(?:docx?|indd|qxd|pdf))$", re.I
)


class RaisedSigns:
    """Tells small numbers above or below a line from the number before them.

    pypdf writes the mark of a note behind a year as a part of the year, or as a number
    of its own. It hands over what was drawn in one font and size.
    """

    def __init__(self, before: Callable[[Any, Any, Any, Any], None]) -> None:
        self._before = before
        self._rise = self._shown_rise = 0.0
        self._pieces: list[str] = []
        self._written: list[str] = []
        self._size = self._line = 0.0  # of the last piece in a normal size

    def before(self, operator: Any, operands: Any, cm: Any, tm: Any) -> None:
        """Take note of how far what follows is raised."""
        if operator == b"Ts" and operands:
            self._rise = float(operands[0])
        elif operator in _SHOWS:
            self._shown_rise = self._rise
        self._before(operator, operands, cm, tm)

    def add(self, text: str, _cm: Any, tm: Any, _font: Any, size: float) -> None:
        """Add a piece of the text."""
        self._pieces.append(text)
        digits = text.strip()
        size *= abs(tm[3]) or 1.0
        off = tm[5] - self._line + self._shown_rise
        is_small = 0 < size <= _SMALL * self._size and _FEW_DIGITS.fullmatch(digits)
        is_near = _LEAST_OFF * self._size < abs(off) < self._size
        follows = self._written and self._written[-1][-1:].isalnum()
        if is_small and is_near and follows and "\n" not in text:
            # As on a page of the web: readers write H2O for H₂O.
            is_index = off < 0 and not self._written[-1][-1:].isdigit()
            signs = RAISED if off > 0 else LOWERED
            self._written.append(digits if is_index else digits.translate(signs))
            return
        if digits:
            self._size, self._line = size, tm[5]
        self._written.append(text)

    def written(self, text: str) -> str:
        """Return the text of the page, which is what was added."""
        return "".join(self._written) if "".join(self._pieces) == text else text


_SHOWS = (b"Tj", b"TJ", b"'", b'"')
_SMALL = 0.85  # of the size before
_LEAST_OFF = 0.1
_FEW_DIGITS = re.compile(r"[0-9]{1,2}")


def read_pdf(body: bytes) -> Extraction:
    """Return the text of a PDF with the offsets of its pages."""
    with apply_configuration(
        zlib_maximum_output_length=_MAX_STREAM_BYTES,
        lzw_maximum_output_length=_MAX_STREAM_BYTES,
        run_length_maximum_output_length=_MAX_STREAM_BYTES,
        brotli_maximum_output_length=_MAX_STREAM_BYTES,
        array_based_stream_maximum_output_length=_MAX_STREAM_BYTES,
        jbig2dec_binary=None,  # no other program is ever started
    ):
        try:
            return _read(body)
        except LimitReachedError as error:
            return _incomplete(f"the PDF asks for too much: {error}")
        except PyPdfError as error:
            return _incomplete(f"the PDF is damaged: {error}")


def _read(body: bytes) -> Extraction:
    reader = PdfReader(BytesIO(body))
    if reader.is_encrypted and not _opens_without_password(reader):
        return Extraction(SourceOutcome.NOT_TEXT, "an encrypted PDF")
    page_count = len(reader.pages)
    if page_count > _MAX_PAGES:
        return Extraction(SourceOutcome.TOO_LARGE, f"a PDF of {page_count:,} pages")
    pages, missing = _texts(reader)
    if not any(pages):
        return Extraction(SourceOutcome.NOT_TEXT, _without_text(page_count))
    return read(replace(_document(pages, reader), missing=missing))


def _opens_without_password(reader: PdfReader) -> bool:
    try:
        return reader.decrypt("") != PasswordType.NOT_DECRYPTED
    except (DependencyError, NotImplementedError):
        return False  # AES, for which pypdf would need another library


def _without_text(page_count: int) -> str:
    if not page_count:
        return "a PDF without pages"
    return "a scan without a text layer"


def _texts(reader: PdfReader) -> tuple[list[str], tuple[MissingPiece, ...]]:
    """Return the text of each page, as far as it is shown, and what it lacks."""
    texts: list[str] = []
    layers = Layers(reader)
    left, hidden_chars, is_recognised = _MAX_CHARS, 0, False
    scanned: list[int] = []
    mixed: list[int] = []
    for number, page in enumerate(reader.pages, 1):
        drawing = PageDrawing(page, layers)
        text = _text(page, drawing)
        hidden = drawing.hidden()
        if hidden:
            text = _text(page, PageDrawing(page, layers, hidden))
            hidden_chars += drawing.hidden_chars
        columns = drawing.columns()
        if columns:
            everything = frozenset[int]().union(*columns)
            text = "\n".join(
                _text(page, PageDrawing(page, layers, hidden | everything - column))
                for column in columns
            )
            text = unwrap(text, shortest_chars=_SHORTEST_COLUMN_LINE)
        elif are_typed_across(text):
            mixed.append(number)
        text = unwrap(text)
        is_recognised |= drawing.is_recognised
        if (
            drawing.is_picture
            and not drawing.is_recognised
            and len(text) < _FEWEST_CHARS
        ):
            scanned.append(number)
        texts.append(text)
        left -= len(text)
        if left < 0:
            break  # `read` refuses what is longer
    if len(texts) >= _SHORTEST_WITH_COVERS and set(scanned) <= {1, len(texts)}:
        scanned = []
    found = {
        MissingPiece(MissingKind.SCAN, _numbers(scanned)): bool(scanned),
        MissingPiece(MissingKind.COLUMNS, _numbers(mixed)): bool(mixed),
        MissingPiece(MissingKind.HIDDEN): hidden_chars >= _FEWEST_HIDDEN_CHARS,
        MissingPiece(MissingKind.RECOGNISED): is_recognised,
    }
    return texts, tuple(one for one, is_so in found.items() if is_so)


def _numbers(pages: list[int]) -> str:
    """Return the numbers of pages as in a citation: 1, 3–7."""
    runs: list[list[int]] = []
    for page in pages:
        if runs and page == runs[-1][-1] + 1:
            runs[-1].append(page)
        else:
            runs.append([page])
    written = [f"{run[0]}–{run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs]
    more = ["…"] if len(written) > _MOST_RUNS else []
    return ", ".join(written[:_MOST_RUNS] + more)


def _text(page: PageObject, drawing: PageDrawing) -> str:
    """Return the text of a page, in which raised numbers are written as such."""
    signs = RaisedSigns(drawing.before)
    text = page.extract_text(
        visitor_operand_before=signs.before,
        visitor_operand_after=drawing.after,
        visitor_text=signs.add,
    )
    return signs.written(text)


def _document(pages: list[str], reader: PdfReader) -> SourceText:
    starts: list[int] = []
    at = 0
    for page in pages:
        starts.append(at)
        at += len(page) + 1
    about = reader.metadata
    return SourceText(
        text="\n".join(pages),
        title=_title(about.title if about else None),
        author=_field(about.author if about else None),
        published=_date(about.get("/CreationDate") if about else None),
        page_starts=tuple(starts),
    )


def _title(value: object) -> str | None:
    title = _field(value)
    return None if title is None or _EMPTY_TITLES.match(title) else title


def _field(value: object) -> str | None:
    return clean_line(value)[:500] or None if isinstance(value, str) else None


def _date(value: object) -> str | None:
    """Return the date of "D:20240131…" in ISO form; missing parts are 1."""
    found = _DATE.match(value) if isinstance(value, str) else None
    if not found:
        return None
    year, month, day = found.groups()
    try:
        return date(int(year), int(month or 1), int(day or 1)).isoformat()
    except ValueError:
        return None


def _incomplete(detail: str) -> Extraction:
    return Extraction(SourceOutcome.INCOMPLETE, detail[:200])
