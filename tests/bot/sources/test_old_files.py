"""Files that hold names go after a month, where nobody asks for what they show."""

import os
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import unquote

from bot.daemon.local_reports import LocalReports
from bot.records.posts import Append, Post
from bot.report import PageReport
from bot.sources.files import remove_old
from bot.writing.dry_run import LocalPages
from handlers.citations.due_checks import Unchanged
from tests import builders
from tests.bot.store.runs import run
from tests.bot.surfaces.planning.makers import watch

_NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
_BEFORE = _NOW - timedelta(days=30)
_WIKI = "wiki.example"
_LONG = f"User:Ada/{'a very long name ' * 8}"


def _age(folder: Path, days: float) -> None:
    at = (_NOW - timedelta(days=days)).timestamp()
    for path in folder.glob("*/*"):
        os.utime(path, (at, at))


def _titles(folder: Path, ending: str) -> set[str]:
    """Return how the titles begin, for a long one is cut in the name of its file."""
    names = (path.name.removesuffix(ending) for path in folder.glob(f"*/*{ending}"))
    return {unquote(name)[:20] for name in names}


def test_pages_of_a_dry_run_go_where_nobody_asks_for_them(tmp_path: Path) -> None:
    pages = LocalPages(tmp_path, now=lambda: _NOW)
    titles = [
        "User:Ada/Watch",
        "User:Ada/Report",
        _LONG,
        "Talk:Lantern",
        "Draft talk:X",
    ]
    gone = ["User:Bob/Report", "Talk:Other", "User talk:Bob", "User:Ada"]
    for title in (*titles, *gone):
        pages.show(Post("0", _WIKI, title, "report", Append(""), "s", _NOW), "text", "")
    pages.show(
        Post("0", "b.example", titles[0], "t", Append(""), "s", _NOW), "text", ""
    )
    watches = [
        watch(
            wiki=_WIKI, place=titles[0], report=titles[1], pages=("Lantern", "Draft:X")
        ),
        watch(wiki=_WIKI, place=_LONG, report=None),
    ]
    _age(tmp_path, 29)
    assert pages.forget(_BEFORE, watches) == 0
    _age(tmp_path, 31)

    assert pages.forget(_BEFORE, watches) == 2 * (len(gone) + 1)

    assert _titles(tmp_path, ".wikitext") == {title[:20] for title in titles}
    assert _titles(tmp_path, ".history.txt") == {title[:20] for title in titles}
    assert all(pages.text(_WIKI, title) == "text" for title in titles)
    assert pages.forget(_BEFORE, []) == 2 * len(titles)


def test_reports_of_pages_that_nobody_watches_go(tmp_path: Path) -> None:
    reports = LocalReports(tmp_path)
    for title in ("Lantern", "Other"):
        _keep(reports, title)
    _age(tmp_path, 31)
    _keep(reports, "New")
    notes = tmp_path / "notes.example"
    notes.mkdir()
    (notes / "Lantern.txt").write_text("an operator's own", "utf-8")
    _age(tmp_path, 31)
    os.utime(next(tmp_path.glob("*/New*")))

    watched = watch(wiki=run(1, _NOW).page.id.wiki, pages=("Lantern",))
    assert reports.forget(_BEFORE, [watched]) == 1

    assert _titles(tmp_path, ".whole.html") == {"Lantern", "New"}
    assert (notes / "Lantern.txt").exists()


def test_reports_of_checks_that_were_taken_back_go(tmp_path: Path) -> None:
    reports = LocalReports(tmp_path)
    wiki = run(1, _NOW).page.id.wiki
    for title in ("Kept", "Looked at anew", "Elsewhere", "Deleted"):
        _keep(reports, title)
    _age(tmp_path, 2)
    _keep(reports, "A moment ago")
    os.utime(next(tmp_path.glob("*/A*")), (_NOW.timestamp(), _NOW.timestamp()))
    checks = [
        (wiki, "Kept", _NOW - timedelta(days=2, minutes=1)),
        (wiki, "Looked at anew", _NOW - timedelta(days=1)),
        (wiki, "Not here", _NOW - timedelta(days=1)),
        ("other.example", "Elsewhere", _NOW - timedelta(days=9)),
    ]

    assert reports.forget_taken_back(checks, _BEFORE, _NOW) == 3
    assert _titles(tmp_path, ".whole.html") == {"Kept", "A moment ago"}

    _age(tmp_path, 31)  # looks of that time went for their age alone
    assert reports.forget_taken_back(checks, _BEFORE, _NOW) == 1
    assert _titles(tmp_path, ".whole.html") == {"Kept"}


def test_a_check_of_the_whole_page_takes_the_place_of_all_before(
    tmp_path: Path,
) -> None:
    reports, report = LocalReports(tmp_path), run(1, _NOW, title="Clock")
    part = replace(report, unchanged=(Unchanged(builders.claim(), 0, "seen"),))
    reports.keep(report)
    reports.keep(part)
    assert len(list(tmp_path.glob("*/*"))) == 2

    whole = reports.keep(report)

    assert list(tmp_path.glob("*/*")) == [whole]


def _keep(reports: LocalReports, title: str) -> PageReport:
    report = run(1, _NOW, title=title)
    reports.keep(report)
    return report


def test_nothing_outside_of_the_folder_goes(tmp_path: Path) -> None:
    folder, outside = tmp_path / "a" / "wiki", tmp_path / "outside.html"
    folder.mkdir(parents=True)
    outside.write_text("mine", "utf-8")
    (folder / "link.html").symlink_to(outside)
    (folder / "sub.html").mkdir()
    later = datetime.now(UTC) + timedelta(days=1)

    assert remove_old(tmp_path / "a", (".html",), later, lambda _: False) == 0
    assert remove_old(tmp_path / "missing", (".html",), later, lambda _: False) == 0
    assert outside.exists()
