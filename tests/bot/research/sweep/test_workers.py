"""Sweeps with the real children and the real Dask: limits, kills and schedulers."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from distributed import LocalCluster

from bot.research.sweep.portions import Input
from bot.research.sweep.rows import SweepOrder, Wanted
from bot.research.sweep.run import SweepAsk, open_sweeper
from handlers.ports import PermanentError, TemporaryError
from tests.benchmarks.sweep_dump import Written, write_multistream
from tests.bot.research.sweep.rig import (
    Near,
    article,
    figures,
    really_swept,
    swept,
    wiki_of,
    write_sources,
)

ROOT = Path(__file__).parents[4]
WAIT_S = 120  # for a loaded machine


def test_a_page_that_takes_too_long_or_kills_its_reader_is_named_and_the_rest_swept(
    tmp_path: Path,
) -> None:
    bomb = Written(
        "Bomb", 100, "Words.<ref>{{cite web|url=http://a.b/c}}</ref> " * 70_000
    )
    huge = Written("Huge", 101, "x" * (4 * 1024**2 + 1))
    dump = tmp_path / "multistream.xml.bz2"
    pages = [article(1), bomb, article(3), huge, article(5)]
    write_multistream(dump, pages, level=1)
    sources = write_sources(tmp_path / "sources")

    summary = really_swept(
        SweepAsk(Input((dump,)), tmp_path / "out", sources=sources, page_s=1.0)
    )

    assert summary.failed == {"took too long": 1, "larger than any wiki saves": 1}
    assert [one.what for one in summary.failed_pages] == ["Bomb", "Huge"]
    assert "1 s of processor time" in summary.failed_pages[0].why
    assert (summary.swept, summary.scored, summary.claims) == (3, 3, 9)
    assert summary.sources_missing == 6
    [line] = [one for one in summary.hosts if one.host == "museum.example"]
    assert (line.claims, line.scored) == (3, 3)


_KILLED = """
import os, signal, sys
from pathlib import Path
from tests.bot.research.sweep.rig import Input, Near, swept

class Struck(Near):
    def ask(self, question):
        if len(self.asked) == 33:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().ask(question)

swept(Input((Path(sys.argv[1]),)), Path(sys.argv[2]), asker=Struck())
"""


def test_a_killed_sweep_continues_and_comes_to_the_same(tmp_path: Path) -> None:
    dump, out = tmp_path / "multistream.xml.bz2", tmp_path / "out"
    write_multistream(dump, wiki_of(60), per_stream=12)
    killed = subprocess.run(
        [sys.executable, "-c", _KILLED, dump, out], cwd=ROOT, check=False
    )
    before = len(list(out.glob("shards/*.json")))
    halves = list(out.glob("*/.*.part"))

    asker = Near()
    summary = swept(Input((dump,)), out, asker=asker)

    assert killed.returncode == -signal.SIGKILL
    assert 0 < before < 8
    assert halves
    assert 60 - 33 <= len(asker.asked) < 60
    assert summary.is_whole
    assert figures(summary) == figures(swept(Input((dump,)), tmp_path / "whole"))


@contextmanager
def scheduler_with_two_workers(folder: Path, root: Path = ROOT) -> Iterator[str]:
    """Start a Dask scheduler on loopback, and two worker processes."""
    with LocalCluster(n_workers=0, dashboard_address="127.0.0.1:0") as cluster:
        address = str(cluster.scheduler_address)
        command = [sys.executable, "-m", "dask", "worker", address, "--no-dashboard"]
        alone = ["--nthreads", "1", "--no-nanny", "--local-directory", str(folder)]
        running = [
            subprocess.Popen(
                [*command, *alone],
                env={**os.environ, "PYTHONPATH": str(root)},
                cwd=root,
                stderr=subprocess.DEVNULL,
            )
            for _ in range(2)
        ]
        try:
            cluster.wait_for_workers(2, timeout=WAIT_S)
            yield address
        finally:
            for process in running:
                process.kill()
                process.wait()


@pytest.mark.filterwarnings("default")  # Dask's own
def test_two_workers_behind_a_scheduler_come_to_the_same_as_none(
    tmp_path: Path,
) -> None:
    dump, out = tmp_path / "multistream.xml.bz2", tmp_path / "out"
    write_multistream(dump, wiki_of(40), per_stream=8)

    with scheduler_with_two_workers(tmp_path) as address:
        summary = really_swept(SweepAsk(Input((dump,)), out, scheduler=address, top=10))

    assert summary.is_whole
    assert figures(summary) == figures(swept(Input((dump,)), tmp_path / "whole"))


@pytest.mark.filterwarnings("default")  # Dask's own
def test_workers_without_this_program_are_reported(tmp_path: Path) -> None:
    dump, other = tmp_path / "multistream.xml.bz2", tmp_path / "other"
    write_multistream(dump, wiki_of(1))
    (other / "bot").mkdir(parents=True)
    (other / "bot" / "__init__.py").touch()

    with scheduler_with_two_workers(tmp_path, other) as address:
        ask = SweepAsk(Input((dump,)), tmp_path / "out", scheduler=address)
        with pytest.raises(PermanentError, match="the same version as here"):
            really_swept(ask)


def test_a_worker_of_another_version_makes_no_shard(tmp_path: Path) -> None:
    order = SweepOrder(tmp_path, Wanted(), {}, None, False, 60.0, "0.0.1")

    with pytest.raises(
        PermanentError, match=r"the sweep was started with version 0\.0\.1"
    ):
        open_sweeper(order)


@pytest.mark.filterwarnings("default")  # Dask's own
def test_a_scheduler_without_workers_is_reported(tmp_path: Path) -> None:
    dump = tmp_path / "multistream.xml.bz2"
    write_multistream(dump, wiki_of(1))

    with LocalCluster(n_workers=0, dashboard_address="127.0.0.1:0") as cluster:
        ask = SweepAsk(
            Input((dump,)), tmp_path / "out", scheduler=cluster.scheduler_address
        )
        with pytest.raises(TemporaryError, match="has no workers"):
            really_swept(ask)
