"""The exit code of a check says whether anything needs attention, of whatever kind."""

from pathlib import Path

import pytest

from bot.app.cli.terminal import Exit
from tests.bot.app.cli.conftest import Sidenote


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("As of May 2014, it is wound by hand.", Exit.NEEDS_ATTENTION),
        ("It is wound by hand.", Exit.FINE),
    ],
)
def test_a_statement_that_has_aged_needs_attention(
    sidenote: Sidenote, tmp_path: Path, words: str, code: Exit
) -> None:
    article = tmp_path / "clock.wikitext"
    article.write_text(f"The '''Clock''' stands on the quay. {words}\n", "utf-8")
    sources = tmp_path / "pages"
    sources.mkdir()

    done = sidenote("check", "--file", str(article), "--sources", str(sources))

    assert done.code == code, done.err


ARTICLE = """The '''Clock''' stands on the quay.<ref name="guide">{{cite book
|title=Guide to the quay |isbn=978-0-306-40615-7}}</ref> It was wound by hand in
1911.<ref>{{cite web |url=http://127.0.0.1:9/clock |title=Clock}}</ref>
"""


@pytest.fixture
def article(tmp_path: Path) -> str:
    path = tmp_path / "clock.wikitext"
    path.write_text(ARTICLE, "utf-8")
    return str(path)


def test_a_claim_is_checked_by_the_text_that_a_person_supplies(
    sidenote: Sidenote, tmp_path: Path, article: str
) -> None:
    text = tmp_path / "guide.txt"
    text.write_text("The Clock stands on the quay since it was moved.", "utf-8")

    done = sidenote("check", "--file", article, "--source", "guide", str(text))

    assert done.code == Exit.FINE, done.err
    assert "stands on the quay since it was moved" in done.out
    assert "text you supplied" in done.out
    assert "1911" not in done.out, "what cites another source is not checked"
    left = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert not any(path.suffix == ".db" for path in left), "nothing is kept"
    for path in left:
        assert path == text or b"since it was moved" not in path.read_bytes(), path


def test_a_citation_that_the_page_does_not_have_is_refused(
    sidenote: Sidenote, tmp_path: Path, article: str
) -> None:
    text = tmp_path / "guide.txt"
    text.write_text("The Clock stands on the quay.", "utf-8")

    done = sidenote("check", "--file", article, "--source", "gide", str(text))

    assert done.code == Exit.USAGE
    assert "'gide'" in done.err


@pytest.mark.usefixtures("article")
@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("--before", "clock.wikitext"), "--file"),
        (("--since", "3"), "TITLE"),
        (("--file", "clock.wikitext", "--since", "3"), "--before"),
        (("Clock", "--before", "clock.wikitext"), "--since"),
    ],
)
def test_what_is_missing_beside_an_earlier_version_is_named(
    sidenote: Sidenote, arguments: tuple[str, ...], named: str
) -> None:
    done = sidenote("check", *arguments)

    assert done.code == Exit.USAGE
    assert named in done.err
    assert "not both" not in done.err


def test_changed_claims_whose_source_is_not_there_are_counted_and_listed(
    sidenote: Sidenote, tmp_path: Path, article: str
) -> None:
    before = tmp_path / "before.wikitext"
    before.write_text(ARTICLE.replace("1911", "1811"), "utf-8")
    (tmp_path / "pages").mkdir()
    asked = ("check", "--file", article, "--before", str(before), "--sources", "pages")

    text, page = (sidenote(*asked, "--format", form).out for form in ("text", "html"))

    for shown in (text, page):
        said = " ".join(shown.split())
        assert "1 changed claim, 0 judged" in said
        assert "source not read: 1" in said
        assert "1811" in said
        assert "source not read: Clock (not read)" in said
