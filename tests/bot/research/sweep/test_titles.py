"""Lists of titles, read from a real wiki; nothing else of the sweep differs."""

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from bot.research.sweep.portions import Cutter, Input
from bot.research.sweep.rows import Wanted
from bot.research.sweep.run import OneAfterAnother, TitledPages, work_through
from bot.research.sweep.shards import Sweeper, SweepFolder
from tests.bot.research.sweep.rig import SETTINGS, Near
from tests.rig.wiki.mediawiki import Wiki

CLOCK = "Harbour Clock of Eastmere"


@pytest.mark.mediawiki
def test_listed_pages_are_read_from_the_wiki_and_redirects_followed(
    wiki: Wiki, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_PROXY", "*")
    titles = (
        "harbour Clock_of Eastmere",
        "Old clock",
        "Talk:Eastmere",
        "Nobody wrote",
        "A|B",
    )
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
