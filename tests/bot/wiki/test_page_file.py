from pathlib import Path

import pytest

from bot.wiki.folder import MAX_BYTES, read_page_file
from handlers.model import PageId
from handlers.ports import PermanentError


def _file(folder: Path, content: bytes, name: str = "Harbour_Clock.wikitext") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    "content", [b"a\r\nb\n", "Café 🕰".encode(), b"", b"\0 {{ <ref>"]
)
def test_the_text_comes_back_as_it_stands(tmp_path: Path, content: bytes) -> None:
    page = read_page_file(_file(tmp_path, content))

    assert page.wikitext.encode() == content


def test_the_title_comes_from_the_file_name(tmp_path: Path) -> None:
    page = read_page_file(_file(tmp_path, b"text"))

    assert page.id == PageId("file", "Harbour Clock")


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("Ada_(ship).v2.txt", "Ada (ship).v2"),
        ("no extension", "no extension"),
        (".hidden", ".hidden"),
        ("a\x1b[31mb.txt", "a[31mb"),
        (b"caf\xe9.txt".decode("utf-8", "surrogateescape"), "caf?"),
    ],
)
def test_any_file_name_gives_a_title_that_can_be_shown(
    tmp_path: Path, name: str, title: str
) -> None:
    page = read_page_file(_file(tmp_path, b"", name))

    assert page.id.title == title


def test_the_first_comment_names_the_page(tmp_path: Path) -> None:
    text = (
        "\ufeff<!-- Title: Clock: a story; wiki: en.wikipedia.org\nrevision: 12\n"
        "licence: CC BY-SA 4.0 -->\n'''Clock'''"
    )

    page = read_page_file(_file(tmp_path, text.encode()))

    assert page.id == PageId("en.wikipedia.org", "Clock: a story", revision_id=12)
    assert page.wikitext == text.removeprefix("\ufeff")


def test_what_the_caller_names_goes_before_the_comment(tmp_path: Path) -> None:
    path = _file(tmp_path, b"<!-- title: A; wiki: b -->")

    page = read_page_file(path, wiki="c", title="D")

    assert (page.id.wiki, page.id.title) == ("c", "D")


@pytest.mark.parametrize(
    "text",
    [
        "text <!-- title: Later -->",
        "<!-- title: Never closed",
        "<!-- see also: elsewhere -->",
        "<!-- title: \x1b[2J -->",
        "<!-- title: -->",
        "<!-- revision: -1; revision: 1e9 -->",
        "<!-- revision: ٣ -->",
    ],
)
def test_a_comment_that_says_nothing_usable_changes_nothing(
    tmp_path: Path, text: str
) -> None:
    page = read_page_file(_file(tmp_path, text.encode()))

    assert page.id == PageId("file", "Harbour Clock")


def test_a_file_at_the_limit_is_read_and_one_byte_more_is_refused(
    tmp_path: Path,
) -> None:
    path = _file(tmp_path, b"a" * MAX_BYTES)

    assert len(read_page_file(path).wikitext) == MAX_BYTES
    path.write_bytes(b"a" * (MAX_BYTES + 1))
    with pytest.raises(PermanentError, match="larger than 4,194,304 bytes"):
        read_page_file(path)


def test_text_that_is_not_utf8_is_reported_with_its_place(tmp_path: Path) -> None:
    path = _file(tmp_path, "Café".encode("latin-1"))

    with pytest.raises(
        PermanentError, match=r"Harbour_Clock.wikitext is not UTF-8.* 3 "
    ):
        read_page_file(path)


def test_a_missing_file_and_a_folder_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(PermanentError, match="there is no file"):
        read_page_file(tmp_path / "nothing.wikitext")
    with pytest.raises(PermanentError, match="cannot be read: is a directory"):
        read_page_file(tmp_path)


def test_a_note_of_the_header_goes_into_the_report(tmp_path: Path) -> None:
    file = tmp_path / "Quay.wikitext"
    file.write_text("<!--\nnote: An excerpt, CC BY-SA 4.0.\n-->\nThe quay.\n", "utf-8")

    page = read_page_file(file)

    assert page.notes == ("An excerpt, CC BY-SA 4.0.",)
