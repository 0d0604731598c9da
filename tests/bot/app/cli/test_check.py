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
