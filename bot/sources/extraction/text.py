"""The text of a source: cleaned, with its languages, and its form between two processes.

Whatever a parser returned, the result is in normal form C, holds no control or
invisible formatting characters and no lone surrogates, and has one paragraph per line
with single spaces inside it.
"""

import json
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from enum import Enum
from typing import Protocol

from pydantic_core import from_json

from handlers.documents.language import languages_of
from handlers.model import (
    Author,
    DocumentKind,
    Imprint,
    LanguageShare,
    MissingKind,
    MissingPiece,
    SourceOutcome,
    SourceText,
)

_SURROGATE = re.compile(r"[\ud800-\udfff]")
_LINE_END = re.compile(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
# Category Zs and the tab. Not "\s", which also holds the line ends.
_SPACES = re.compile(r"[\t \xa0\u1680\u2000-\u200a\u202f\u205f\u3000]+")
# Joiners (U+200C, U+200D) stay: Persian, Hindi and emoji need them.
_INVISIBLE = re.compile(
    r"[\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f\xad\u200b\u200e\u200f\u202a-\u202e"
    r"\u2060-\u2064\u2066-\u206f\ufdd0-\ufdef\ufeff\ufff9-\ufffb\ufffe\uffff]"
)
# Letters that a typesetter joined.
_LIGATURES = {
    code: unicodedata.normalize("NFKC", chr(code)) for code in range(0xFB00, 0xFB07)
}
_HYPHENATED = re.compile(r"[^\W\d_]{2}[-\u2010]$")
_LIST_ITEM = re.compile(r"\s*(?:[-*•–—]\s|\(?\d{1,3}[.)]\s)")
_SENTENCE_END = (".", "!", "?", ":", "…", "。", '."', ".”", ".)")

_SHORTEST_WRAPPED_LINE = 40  # characters; shorter lines are headings or table cells
_LONGEST_WRAPPED_LINE = 130


def clean_line(text: str) -> str:
    """Return `text` cleaned and on one line."""
    return " ".join(clean_text(text).split("\n"))


def clean_text(text: str) -> str:
    """Return `text` cleaned, one paragraph per line, without empty lines."""
    lines = (_SPACES.sub(" ", line).strip(" ") for line in _clean_lines(text))
    return "\n".join(line for line in lines if line)


def unwrap(text: str, *, shortest_chars: int = _SHORTEST_WRAPPED_LINE) -> str:
    """Join the lines of `text` that a fixed line width broke, then clean it.

    A word split by a hyphen at a line's end is joined. Lines that are short, end a
    sentence or start a list item stay separate, and an empty line always separates.
    Lines of fewer than `shortest_chars` are short.
    """
    pieces: list[str] = []
    previous = ""
    for raw in _clean_lines(text):
        line = _SPACES.sub(" ", raw).strip(" ")
        if line:
            link = _link(previous, line, shortest_chars)
            if not link:
                pieces[-1] = pieces[-1][:-1]  # the hyphen is removed
            pieces += (link, line)
        previous = line
    return "".join(pieces).lstrip("\n")


def _clean_lines(text: str) -> list[str]:
    if _SURROGATE.search(text):
        # Pairs written as two escapes become one character, single ones U+FFFD.
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    lines = _LINE_END.split(text)
    return [
        unicodedata.normalize("NFC", _INVISIBLE.sub("", line)).translate(_LIGATURES)
        for line in lines
    ]


def _link(previous: str, line: str, shortest_chars: int) -> str:
    """Return what goes between two lines; "" if they share a word."""
    if not previous or _LIST_ITEM.match(line):
        return "\n"
    if line[0].islower() and _HYPHENATED.search(previous):
        return ""
    return " " if _is_wrapped(previous, line, shortest_chars) else "\n"


def _is_wrapped(previous: str, line: str, shortest_chars: int) -> bool:
    if not shortest_chars <= len(previous) <= _LONGEST_WRAPPED_LINE:
        return False
    return line[0].islower() or not previous.endswith(_SENTENCE_END)


# The result of turning bytes into text, and its form between two processes.

_MAX_CHARS = 3_000_000


@dataclass(frozen=True, slots=True)
class Extraction:
    """The text of one body, or why there is none.

    `document` is present exactly if `outcome` is READ; its text is never empty, in
    normal form C, without NUL or lone surrogates, one paragraph per line. `detail` is
    one plain line for a person. `leads_to` is the address, perhaps a relative one, to
    which a page sends its readers by itself.
    """

    outcome: SourceOutcome
    detail: str
    document: SourceText | None = None
    leads_to: str | None = None

    def to_json(self) -> bytes:
        """Return it in the form for `from_json`."""
        document = None if self.document is None else asdict(self.document)
        fields: dict[str, object] = {
            "outcome": self.outcome.value,
            "detail": self.detail,
        }
        fields |= {"document": document, "leads_to": self.leads_to}
        return json.dumps(fields, default=_plain).encode()

    @classmethod
    def from_json(cls, raw: bytes) -> "Extraction":
        """Read what `to_json` wrote.

        Raises:
            ValueError: `raw` is not such a value; the child it came from has
                read hostile bytes and is not trusted to be sane.
        """
        try:
            fields = from_json(raw, allow_inf_nan=False)  # lone surrogates are rejected
            return cls(
                SourceOutcome(fields["outcome"]),
                str(fields["detail"]),
                _document(fields["document"]),
                _line(fields["leads_to"]),
            )
        except (AttributeError, KeyError, TypeError, RecursionError) as error:
            raise ValueError(f"not an extraction: {error!r}") from error


def read(document: SourceText) -> Extraction:
    """Return the result for a document that was read in full, with its languages.

    Beyond 3 million characters, more than the longest novels have, the result is
    TOO_LARGE: half a text would look like one that lacks what is claimed.
    """
    if len(document.text) > _MAX_CHARS:
        return Extraction(
            SourceOutcome.TOO_LARGE, f"it has more than {_MAX_CHARS:,} characters"
        )
    pages = f" on {_count(len(document.page_starts), 'page')}"
    return Extraction(
        SourceOutcome.READ,
        _count(len(document.text), "character")
        + (pages if document.page_starts else ""),
        replace(document, languages=languages_of(document.text)),
    )


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


class TextExtractor(Protocol):
    """Turns bytes into text; `Extractor` is one."""

    async def extract(
        self, body: bytes, *, content_type: str | None, url: str
    ) -> Extraction:
        """Return the readable text of `body`, or the outcome that says why not."""
        ...


def _document(fields: Mapping[str, object] | None) -> SourceText | None:
    if fields is None:
        return None
    starts = fields["page_starts"]
    if not isinstance(starts, list) or not all(isinstance(n, int) for n in starts):
        raise ValueError("page_starts is not a list of whole numbers")
    return SourceText(
        text=str(fields["text"]),
        title=_line(fields["title"]),
        site=_line(fields["site"]),
        author=_line(fields["author"]),
        published=_line(fields["published"]),
        language=_line(fields["language"]),
        page_starts=tuple(starts),
        imprint=_imprint(fields["imprint"]),
        languages=_languages(fields["languages"]),
        missing=_missing(fields["missing"]),
    )


def _missing(found: object) -> tuple[MissingPiece, ...]:
    if not isinstance(found, list):
        raise TypeError("missing is not a list")
    return tuple(
        MissingPiece(MissingKind(one["kind"]), str(one["what"])) for one in found
    )


def _languages(found: object) -> tuple[LanguageShare, ...]:
    if not isinstance(found, list):
        raise TypeError("languages is not a list")
    return tuple(
        LanguageShare(str(one["code"]), str(one["name"]), float(one["share"]))
        for one in found
    )


def _imprint(fields: object) -> Imprint:
    if not isinstance(fields, Mapping):
        raise TypeError("imprint is not an object")
    lines = {name: _line(value) for name, value in fields.items()}
    kind = lines.pop("kind")
    del lines["authors"]
    return Imprint(
        kind=None if kind is None else DocumentKind(kind),
        authors=tuple(
            Author(str(one["name"]), _line(one["family"]), _line(one["given"]))
            for one in fields["authors"]
        ),
        **lines,
    )


def _plain(value: object) -> object:
    if isinstance(value, Enum):
        return value.value
    raise TypeError(f"{type(value).__name__} has no JSON form")


def _line(value: object) -> str | None:
    return None if value is None else str(value)
