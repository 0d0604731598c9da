"""The page of the benchmarks is made, from a run too small to tell anything."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from lxml import etree

from bot.models.lexical import LexicalVerifier
from bot.models.neural import NeuralVerifier
from handlers.citations.passages import cut
from handlers.model import SourceText
from tests import builders
from tests.benchmarks.published.making import make
from tests.benchmarks.published.page import write
from tests.benchmarks.published.plots import draw
from tests.benchmarks.published.sizes import TINY
from tests.benchmarks.published.values import Bar, Comparison, Curve, Growth, Made
from tests.benchmarks.published.verifiers import without_cache

_CUBE = Growth(
    "cube", "Cubes", "side", "ms", "n = 1", "Its edge, three times.", (
        Curve("volume", ((1.0, (1.0,)), (10.0, (900.0, 1000.0, 1100.0)), (100.0, (1e6,)))),
    ),
)  # fmt: skip


def test_a_tiny_run_makes_the_page_its_plots_and_the_figures(tmp_path: Path) -> None:
    make(tmp_path, TINY, "a test", parts=("stages", "parsing", "growing"))

    page = (tmp_path / "index.html").read_text("utf-8")
    figures = json.loads((tmp_path / "figures.json").read_text("utf-8"))
    sections = {one["key"]: one for one in figures["sections"]}
    assert {"stages-cpu", "stages-memory", "parsing-shipped", "growth-length"} <= set(
        sections
    )
    peers = [one["name"] for one in sections["parsing-shipped"]["bars"] if one["peer"]]
    assert peers == ["mwparserfromhell, tree only"]
    stages = sections["stages-cpu"]["bars"]
    assert len(stages) > 8
    assert all(one["median"] > 0 and one["rounds"] == 1 for one in stages)
    shown = re.findall(r'<img src="([^"]+)"', page)
    assert [name.removesuffix(".svg") for name in shown] == list(sections)
    for name in shown:
        assert etree.parse(tmp_path / name).getroot().tag.endswith("svg")
    assert "cores" in page
    assert str(Path.cwd()) not in page


def test_spread_growth_and_what_was_left_out_are_reported(tmp_path: Path) -> None:
    pairs = Comparison(
        "pairs",
        "Pairs <of> texts",
        "ms",
        "n = 7",
        "Time <of> all by their number.",
        (Bar("ours", (2.0, 1.0, 4.0)),),
        ("PyTorch: it is not installed",),
    )
    (tmp_path / "mine.svg").write_text("of somebody else", "utf-8")
    write(Made((), (replace(_CUBE, key="of-the-run-before"),)), tmp_path)

    write(Made((("Machine", "a small one"),), (pairs, _CUBE)), tmp_path)

    page = (tmp_path / "index.html").read_text("utf-8")
    assert "1.0 to 4.0" in page
    assert "n = 7 Time &lt;of&gt; all by their number." in page
    assert "Left out: PyTorch: it is not installed" in page
    assert "Pairs &lt;of&gt; texts" in page
    [_, cube] = json.loads((tmp_path / "figures.json").read_text("utf-8"))["sections"]
    assert cube["curves"][0]["exponent"] == 3.0
    assert sorted(one.name for one in tmp_path.glob("*.svg")) == [
        "cube.svg",
        "mine.svg",
        "pairs.svg",
    ]


def test_a_growth_is_fitted_to_all_rounds_from_the_middle_size_on() -> None:
    flat_first = Curve("c", ((1.0, (5.0,)), (2.0, (5.0,)), (4.0, (4.0, 16.0)), (8.0, (8.0, 32.0)), (16.0, (64.0, 64.0))))  # fmt: skip

    assert flat_first.growth == pytest.approx(1.5)
    assert Curve("c", ((1.0, (5.0,)),)).growth is None
    assert Curve("c", ((1.0, (0.0,)), (2.0, (0.0,)))).growth is None


def test_little_changes_are_not_drawn_as_large_ones() -> None:
    flat = Growth(
        "flat", "F", "pages", "ms", "n = 1", "-", (Curve("c", ((1.0, (24.0,)), (10.0, (26.0,)))),)
    )  # fmt: skip

    ticks = re.findall(r">([^<>]+)</text>", draw(flat))
    assert {"0", "5", "25"} <= set(ticks)
    assert not any("times" in one for one in ticks)


async def test_a_verifier_made_afresh_is_another_and_judges_alike() -> None:
    known = LexicalVerifier()
    passages = cut(SourceText("The bridge opened in 1874."), "a")
    before = await known.verify(
        "Bridge", builders.claim("It opened in 1874."), passages
    )

    fresh = without_cache(known)

    assert fresh is not known
    assert fresh.engine == known.engine
    assert before == await fresh.verify(
        "Bridge", builders.claim("It opened in 1874."), passages
    )
    assert without_cache(NeuralVerifier()).engine == NeuralVerifier().engine
