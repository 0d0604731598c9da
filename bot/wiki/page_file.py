"""Reads a page's wikitext from disk, so that no wiki is needed.

The file may begin with a comment that says what it is, one field after another:
`<!-- title: Harbour Clock; wiki: en.wikipedia.org; revision: 123 -->`. A `note`
goes into the report, so that an excerpt can say whose text it is. The comment is
part of the wikitext and stays there.
"""

from pathlib import Path

from bot.wiki.page import WikiPage
from handlers.model import PageId
from handlers.ports import PermanentError

MAX_BYTES = 4 * 1024 * 1024
_BOM = "\ufeff"
_MAX_HEADER = 2000
_FIELDS = ("title", "wiki", "revision", "note")
_MAX_DIGITS = 18


def read_page_file(
    path: Path, *, wiki: str | None = None, title: str | None = None
) -> WikiPage:
    """Return the page in a UTF-8 file of wikitext.

    What is not given is taken from the file's first comment, then from its
    name ("Harbour_Clock.wikitext" has the title "Harbour Clock"); the wiki is
    then "file".

    Raises:
        PermanentError: the file cannot be read, is not UTF-8, or is larger than
            `MAX_BYTES`.
    """
    wikitext = _text(path)
    header = _header(wikitext)
    revision = header.get("revision", "")
    return WikiPage(
        id=PageId(
            wiki=wiki or header.get("wiki") or "file",
            title=title or header.get("title") or _title(path),
            revision_id=int(revision) if _is_number(revision) else None,
        ),
        wikitext=wikitext,
        notes=(header["note"],) if header.get("note") else (),
    )


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except FileNotFoundError as error:
        raise PermanentError(f"there is no file {path}; check its path") from error
    except OSError as error:
        why = (error.strerror or "it is not a file").lower()
        raise PermanentError(f"{path} cannot be read: {why}") from error
    if len(content) > MAX_BYTES:
        raise PermanentError(
            f"{path} is larger than {MAX_BYTES:,} bytes; a wiki saves at most half of"
            " that, so give the wikitext of a single page"
        )
    try:
        return content.decode("utf-8").removeprefix(_BOM)
    except UnicodeDecodeError as error:
        raise PermanentError(
            f"{path} is not UTF-8 (the byte at {error.start:,} does not fit); save it as"
            " UTF-8 and try again"
        ) from error


def _header(wikitext: str) -> dict[str, str]:
    """Return the fields of the comment that the text begins with, if it does."""
    start = wikitext[:_MAX_HEADER].lstrip()
    comment, closed, _ = start.removeprefix("<!--").partition("-->")
    if not start.startswith("<!--") or not closed:
        return {}
    fields: dict[str, str] = {}
    for part in comment.replace("\n", ";").split(";"):
        name, _, value = part.partition(":")
        if name.strip().lower() in _FIELDS and value.strip().isprintable():
            fields.setdefault(name.strip().lower(), value.strip())
    return fields


def _title(path: Path) -> str:
    name = path.name.encode("utf-8", "replace").decode()
    words = " ".join(Path(name).stem.replace("_", " ").split())
    return "".join(char for char in words if char.isprintable()) or "Untitled"


def _is_number(text: str) -> bool:
    digits = text.isascii() and text.isdecimal() and len(text) <= _MAX_DIGITS
    return digits and int(text) > 0
