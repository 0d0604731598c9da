"""`sidenote discover`: what is newer than one article, from a folder of documents."""

import json
from pathlib import Path

import jsonschema
import pytest

from bot.app.cli.terminal import Exit
from tests.bot.app.cli.conftest import CommandResult, Sidenote
from tests.schemas import read_schema

_CARS = "As of May 2024, it carries 12,000 cars a day."
_ARTICLE = f"""\
'''Harbour Bridge''' is a bridge in Port Example. {_CARS}

== History ==
Inspectors closed Harbour Bridge to lorries after they had found cracks in 1987. It was
opened in 1932 by the mayor.<ref>{{{{cite web|url=https://old.example/1932|title=O}}}}</ref>
"""
_CLOSED = (
    "Harbour Bridge in Port Example was closed to lorries on 3 October 2026 after"
    " inspectors found cracks in two cables."
)
_COUNTED = "As of September 2026, Harbour Bridge carries 15,000 cars a day."
_PAGE = f"""\
<!doctype html><html lang="en"><head><title>Harbour Bridge closed to lorries</title>
<meta property="article:published_time" content="2026-10-04T08:00:00Z">
<meta property="og:site_name" content="Port Example News"></head><body><article>
<h1>Harbour Bridge closed to lorries</h1><p>{_CLOSED}</p><p>{_COUNTED}</p>
<p>I think that Harbour Bridge is the loveliest bridge in the world!</p>
</article></body></html>
"""
_DAYS = ("--since", "2026-09-01", "--until", "2026-11-20")


@pytest.fixture(autouse=True)
def town(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An article on disk, and a folder with one page of news."""
    monkeypatch.setenv("SIDENOTE_VERIFIER", "minilm")
    (tmp_path / "Harbour Bridge.wikitext").write_text(_ARTICLE, "utf-8")
    (tmp_path / "news").mkdir()
    (tmp_path / "news" / "bridge.html").write_text(_PAGE, "utf-8")


def _discovered(sidenote: Sidenote, *arguments: str) -> CommandResult:
    file = ("--file", "Harbour Bridge.wikitext", "--search", "news")
    return sidenote("discover", *file, *arguments)


def test_the_old_sentence_and_the_source_worth_reading_stand_there_with_their_quotes(
    sidenote: Sidenote,
) -> None:
    result = _discovered(sidenote, *_DAYS, "--format", "json")

    assert result.code == Exit.NEEDS_ATTENTION
    document = json.loads(result.out)
    jsonschema.validate(document, read_schema("updates_schema.json"))
    found = {one["sources"][0]["quote"]: one for one in document["updates"]}
    assert found.keys() == {_CLOSED, _COUNTED}
    assert (found[_COUNTED]["kind"], found[_COUNTED]["old"]) == ("outdated", _CARS)
    assert (found[_CLOSED]["kind"], found[_CLOSED]["dated"]) == (
        "pointer",
        "2026-10-04",
    )


def test_days_without_news_bring_nothing_and_the_reason(sidenote: Sidenote) -> None:
    result = _discovered(sidenote, "--since", "2025-01-01", "--until", "2025-02-01")

    assert result.code == Exit.FINE
    assert "0 outdated statements; 2025-01-01 to 2025-02-01" in result.out
    assert "it is older or newer than the days asked for" in result.out


def test_every_step_can_be_seen(sidenote: Sidenote) -> None:
    result = _discovered(sidenote, *_DAYS, "--trace")

    assert "navigator: asks “Harbour Bridge”" in result.out
    assert (
        "“12,000” in the article, “15,000” in the source dated 2026-10-04" in result.out
    )


def test_a_report_goes_into_a_file(sidenote: Sidenote, tmp_path: Path) -> None:
    result = _discovered(sidenote, *_DAYS, "--format", "html", "-o", "news.html")

    assert result.out == ""
    assert "Wrote the report to" in result.err
    assert _CARS in (tmp_path / "news.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "remedy"),
    [
        ((), "give a TITLE or --file"),
        (("Title", "--file", "x.wikitext"), "give either a TITLE or --file"),
        (
            ("Title", "--any-day", "--since", "2026-01-01"),
            "--any-day cannot be combined",
        ),
        (("Title", "--since", "2026-02-01", "--until", "2026-01-01"), "is later than"),
        (("Title", "--since", "9999-01-01"), "--since is later than today"),
        (("Title", "--since", "2026-01-01T00:00+02:00"), "does not match the format"),
        (("Title", "--since", "yesterday"), "does not match the format"),
        (("--file", "x.wikitext", "--revision", "3"), "a file has no revisions"),
    ],
)
def test_what_makes_no_sense_is_refused_with_the_remedy(
    sidenote: Sidenote, arguments: tuple[str, ...], remedy: str
) -> None:
    result = sidenote("discover", *arguments)

    assert result.code == Exit.USAGE
    assert remedy in result.err


def test_the_days_may_begin_with_the_first_of_all(sidenote: Sidenote) -> None:
    result = _discovered(sidenote, "--until", "0001-01-05")

    assert result.code == Exit.FINE
    assert "0001-01-01 to 0001-01-05" in result.out


def test_a_service_that_is_not_set_up_says_what_to_set(sidenote: Sidenote) -> None:
    file = ("--file", "Harbour Bridge.wikitext")
    result = sidenote("discover", *file, "--search", "brave")

    assert result.code == Exit.CANNOT
    assert "SIDENOTE_BRAVE_KEY" in result.err


def test_where_nothing_can_be_searched_the_remedy_is_named(
    sidenote: Sidenote, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIDENOTE_SEARCHES", "brave")
    result = sidenote("discover", "--file", "Harbour Bridge.wikitext")

    assert result.code == Exit.CANNOT
    assert "--search" in result.err


def test_a_redirect_is_no_article(sidenote: Sidenote, tmp_path: Path) -> None:
    text = "#REDIRECT [[Other Bridge]]"
    (tmp_path / "Harbour Bridge.wikitext").write_text(text, "utf-8")
    result = _discovered(sidenote, *_DAYS)

    assert result.code == Exit.CANNOT
    assert "“Other Bridge”" in result.err
