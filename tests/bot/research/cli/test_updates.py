"""`sidenote evaluate updates`: people's edits of a real MediaWiki's page."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.bot.app.cli.conftest import Sidenote
from tests.rig.wiki.mediawiki import Wiki

_CLOCK = "Harbour Clock of Eastmere"


@pytest.mark.mediawiki
def test_people_s_edits_are_reported_in_figures_and_on_a_page(
    sidenote: Sidenote, wiki: Wiki, tmp_path: Path
) -> None:
    (tmp_path / "pages.txt").write_text(f"{_CLOCK}\tclocks\nNo such page\n", "utf-8")
    today = datetime.now(UTC).date()
    days = ("--since", "2001-01-01", "--until", today.isoformat(), "--days", "366")

    result = sidenote(
        *("evaluate", "updates", "--wiki", wiki.host, "--list", "pages.txt"),
        *("--edits-only", *days, "--json", "out.json", "--report", "."),
    )

    assert result.code == 0
    assert "No such page" in result.err
    report = json.loads((tmp_path / "out.json").read_text("utf-8"))
    assert report["data"]["wiki"] == wiki.host
    assert report["data"]["revisions"] == 2
    assert report["data"]["unscored"] == 1
    assert report["metrics"]["human_edits"]["edits"] >= 1
    assert report["rows"][0]["category"] == "clocks"
    assert _CLOCK in (tmp_path / "updates.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(("--since", "2024-01-01"), "--until", id="no last day"),
        pytest.param(
            ("--since", "2024-01-01", "--until", "2024-02-01"), "--title", id="no page"
        ),
        pytest.param(
            ("--title", "X", "--since", "2024-03-01", "--until", "2024-02-01"),
            "later than",
            id="the wrong way round",
        ),
        pytest.param(
            ("--title", "X", "--since", "2024-03-01", "--until", "2999-01-01"),
            "future",
            id="not yet",
        ),
        pytest.param(
            ("--title", "X", "--since", "0900-03-01", "--until", "2024-02-01"),
            "periods are too many",
            id="a thousand years",
        ),
    ],
)
def test_what_makes_no_sense_is_refused_at_once(
    sidenote: Sidenote, arguments: tuple[str, ...], message: str
) -> None:
    answer = sidenote("evaluate", "updates", *arguments)

    assert answer.code != 0
    assert message in answer.err
