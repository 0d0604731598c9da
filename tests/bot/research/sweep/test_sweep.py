"""Sweeps of small wikis and of titles: what is counted, written, gone on with and refused."""

import bz2
import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from bot.research.sweep.child import Answer, Question
from bot.research.sweep.portions import Cutter, Input
from bot.research.sweep.rows import Portion, PortionKind, Shard, Wanted
from bot.research.sweep.run import (
    OneAfterAnother,
    TitledPages,
    files_explained,
    work_through,
)
from bot.research.sweep.shards import Sweeper, SweepFolder
from bot.research.sweep.summary import render_html, render_json, render_text
from bot.research.sweep.tables import CLAIMS, PAGES, described, schema_of
from handlers.ports import PermanentError, TemporaryError
from tests.benchmarks.sweep_dump import Written, write_multistream, write_plain
from tests.bot.research.sweep.rig import SETTINGS, SOURCE, Near, figures, swept, wiki_of
from tests.rig.wiki.mediawiki import Wiki

CLOCK = "Harbour Clock of Eastmere"


@pytest.mark.mediawiki
def test_listed_pages_are_read_from_the_wiki_and_redirects_followed(
    wiki: Wiki, tmp_path: Path
) -> None:
    titles = ("harbour Clock_of Eastmere", "Old clock", "Talk:Eastmere", "Nobody wrote")
    titles += ("A|B",)
    folder, out = SweepFolder(tmp_path / "out"), tmp_path / "out"
    asker = Near()
    with folder.opened({}):
        given = Input((), titles, wiki=wiki.host)
        cutter = Cutter(given, folder, TitledPages(SETTINGS, wiki.host))
        cutter.plan()
        sweeper = Sweeper(folder, Wanted(), asker)
        run = work_through(cutter.portions(), OneAfterAnother(sweeper), lambda _: None)

    assert asker.asked == [CLOCK, CLOCK, "Talk:Eastmere"]
    assert (run.counts.pages, run.counts.swept) == (5, 3)
    assert run.counts.failed == {"the wiki did not give it": 2}
    pages = pq.read_table(out / "pages").to_pylist()
    assert [one["revision_id"] for one in pages[:2]] == [wiki.revisions[CLOCK][-1]] * 2
    assert ["has no page" in one["detail"] for one in pages[3:]] == [True, False]
    assert {one["wiki"] for one in pages[:2]} == {wiki.host}


@pytest.fixture
def dump(tmp_path: Path) -> Path:
    path = tmp_path / "multistream.xml.bz2"
    write_multistream(path, wiki_of(20), per_stream=8)
    return path


def test_every_page_is_swept_skipped_or_failed_and_counted(
    dump: Path, tmp_path: Path
) -> None:
    summary = swept(Input((dump,)), tmp_path / "out")

    assert (summary.pages, summary.swept) == (32, 20)
    assert summary.skipped == dict.fromkeys(
        ("another namespace", "redirect", "not wikitext"), 4
    )
    assert summary.failed == {}
    assert (summary.claims, summary.uncited, summary.citations) == (60, 20, 60)
    assert (summary.sources, summary.sources_missing) == (60, 60)
    assert (summary.scored, summary.outcomes) == (0, {"not read": 60})
    assert summary.is_whole
    assert summary.parts == summary.parts_of == 4
    more = swept(Input((dump,)), tmp_path / "more", wanted=Wanted(frozenset({0, 1})))
    assert more.skipped == {"redirect": 4, "not wikitext": 4}
    assert more.swept == 24


def test_all_forms_of_input_come_to_the_same(dump: Path, tmp_path: Path) -> None:
    pages = wiki_of(20)
    one, plain, folder = tmp_path / "a.xml.bz2", tmp_path / "a.xml", tmp_path / "texts"
    write_plain(one, pages)
    write_plain(plain, pages)
    expected = figures(swept(Input((dump,)), tmp_path / "by-index"))
    (tmp_path / "multistream-index.txt.bz2").unlink()
    for number, path in enumerate((dump, one, plain)):
        assert figures(swept(Input((path,)), tmp_path / f"out{number}")) == expected

    folder.mkdir()
    for page in pages:
        if page.namespace == 0 and page.model == "wikitext" and not page.redirect_to:
            (folder / f"{page.title}.wikitext").write_text(page.text, "utf-8")
    found = swept(Input((folder,), wiki="en.wikipedia.org"), tmp_path / "folder")
    assert {"claims": found.claims, "signs": found.signs} == {
        name: expected[name] for name in ("claims", "signs")
    }


def test_the_tables_are_typed_described_and_lead_to_the_revision(
    dump: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    swept(Input((dump,)), out)

    claims = pq.read_table(out / "claims")
    pages = pq.read_table(out / "pages").to_pylist()
    assert claims.column_names == [column.name for column in CLAIMS]
    field = pq.read_schema(out / "claims" / "part-000000.parquet").field("fails")
    assert field.metadata[b"meaning"].startswith(b"probability that the sources")
    [row] = [
        one for one in claims.to_pylist() if (one["page_id"], one["number"]) == (7, 0)
    ]
    assert row["claim"] == "The clock number 7 was built in 1874 by Ada Penrose."
    place = (row["address"], row["host"], row["url_depth"])
    assert place == (SOURCE, "museum.example", 2)
    link = "https://en.wikipedia.org/w/index.php?oldid=1000007#:~:text="
    assert row["link"].startswith(link)
    assert row["revised_at"].isoformat() == "2026-01-02T03:04:05+00:00"
    assert [one["standing"] for one in pages] == ["swept"] * 20
    assert all(column.name in described() for column in (*CLAIMS, *PAGES))
    assert schema_of(PAGES).names == [column.name for column in PAGES]


class Stopped(BaseException):
    """The process is gone."""


class Mortal(Near):
    """Ends in the middle of a page."""

    def ask(self, question: Question) -> Answer:
        if len(self.asked) == 11:
            raise Stopped
        return super().ask(question)


def test_a_sweep_continues_where_it_stopped_and_comes_to_the_same(
    dump: Path, tmp_path: Path
) -> None:
    expected = figures(swept(Input((dump,)), tmp_path / "whole"))
    out = tmp_path / "out"
    with pytest.raises(Stopped):
        swept(Input((dump,)), out, asker=Mortal())
    done = SweepFolder(out).done()
    (out / "claims" / ".part-000002.parquet.99.part").write_bytes(b"half of it")

    second = Near()
    summary = swept(Input((dump,)), out, asker=second)

    assert len(done) == 2
    assert len(second.asked) == 20 - 10  # of the parts that were whole, none again
    assert figures(summary) == expected
    assert not list(out.glob("*/.*"))


def test_what_is_read_in_order_continues_too(tmp_path: Path) -> None:
    path = tmp_path / "one.xml.bz2"
    write_plain(path, wiki_of(20))
    expected = figures(swept(Input((path,)), tmp_path / "whole"))
    out = tmp_path / "out"

    with pytest.raises(Stopped):
        swept(Input((path,)), out, asker=Mortal())
    assert figures(swept(Input((path,)), out)) == expected
    again = Near()
    summary = swept(Input((path,)), out, asker=again)
    assert (again.asked, figures(summary)) == ([], expected)
    assert list((out / "passing").glob("*.jsonl")) == []


def test_shards_of_two_sweeps_are_never_mixed(dump: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    swept(Input((dump,)), out)

    with pytest.raises(
        PermanentError, match=r"started with namespaces = 0, and now it is 0, 4"
    ):
        swept(Input((dump,)), out, wanted=Wanted(frozenset({0, 4})))
    with pytest.raises(PermanentError, match="has no sweep"):
        swept(Input((dump,)), tmp_path)
    two = SweepFolder(tmp_path / "two")
    with two.opened({}), pytest.raises(PermanentError, match="another sweep"):
        swept(Input((dump,)), two.path)


def test_damage_is_reported_with_its_place_and_costs_only_its_pages(
    dump: Path, tmp_path: Path
) -> None:
    content = bytearray(dump.read_bytes())
    at = len(content) // 2
    content[at : at + 200] = b"\0" * 200
    dump.write_bytes(content)

    summary = swept(Input((dump,)), tmp_path / "out")

    assert summary.pages + summary.pages_lost == 32
    assert 0 < summary.pages_lost <= 16
    assert all("at byte" in one.what for one in summary.damaged)
    assert summary.is_whole


def test_a_dump_without_index_reports_damage_that_it_cannot_count(
    tmp_path: Path,
) -> None:
    xml, path = tmp_path / "one.xml", tmp_path / "one.xml.bz2"
    write_plain(xml, wiki_of(300))
    path.write_bytes(bz2.compress(xml.read_bytes(), 1)[:-40])

    summary = swept(Input((path,)), tmp_path / "out", pages_aside=1000)

    assert summary.lost_unknown == 1
    assert summary.swept > 0
    assert "ends early" in summary.damaged[0].why


class Breaking(Near):
    """Answers with rows that no table takes, as a child that went astray might."""

    def ask(self, question: Question) -> Answer:
        answer = super().ask(question)
        if question.page.title == "Clock 3":
            answer.claims[0]["citations"] = "many"
        if question.page.title == "Clock 4":
            raise OSError(errno.EIO, "Input/output error")
        return answer


def test_a_page_and_a_part_that_break_are_named_and_stop_no_other(
    dump: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    summary = swept(Input((dump,)), out, asker=Breaking())

    assert not summary.is_whole
    assert "Input/output error" in summary.undone[0]
    assert (summary.parts, summary.parts_of) == (3, 4)
    for shown in (render_html(summary), render_text(summary)):
        assert "Input/output error" in shown

    healed = swept(Input((dump,)), out)
    assert healed.is_whole
    assert healed.swept == 20

    write_multistream(dump, wiki_of(3))  # rows that fit no table are a failed page
    summary = swept(Input((dump,)), tmp_path / "three", asker=Breaking())
    assert summary.failed == {"a fault of the program": 1}
    assert summary.failed_pages[0].what == "Clock 3"
    pages = pq.read_table(tmp_path / "three" / "pages").to_pylist()
    assert [one["standing"] for one in pages] == ["swept", "swept", "failed"]


class Full:
    """Workers whose disk is full."""

    def results(
        self, tasks: Iterator[Portion]
    ) -> Iterator[tuple[Portion, Shard | Exception]]:
        for portion in tasks:
            yield portion, OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_full_disk_stops_the_sweep_and_says_what_to_do() -> None:
    one = iter([Portion(0, PortionKind.STREAMS, "a", "b")])
    with pytest.raises(TemporaryError, match="free some space"):
        work_through(one, Full(), lambda _: None)
    with pytest.raises(TemporaryError, match="free some space"), files_explained():
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    with pytest.raises(PermanentError, match="/a cannot be read or"), files_explained():
        raise OSError(errno.EIO, os.strerror(errno.EIO), "/a")


def test_what_pages_say_is_shown_as_text(tmp_path: Path) -> None:
    hostile = "</bdi><script>alert(1)</script>"
    text = (
        f"The {hostile} rose.<ref>[javascript:alert(1) a] https://x.example/\"'</ref>"
    )
    path = tmp_path / "multistream.xml.bz2"
    write_multistream(path, [Written(hostile, 1, text)])

    summary = swept(Input((path,)), tmp_path / "out")

    page = render_html(summary)
    assert "<script" not in page
    assert 'href="javascript' not in page
    assert "&lt;script&gt;" in page
    assert "</bdi><script>" in render_json(summary)
