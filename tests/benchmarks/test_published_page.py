"""The page of the benchmarks is made, from a run too small to tell anything."""

import json
import re
from pathlib import Path

from lxml import etree

from tests.benchmarks.published.making import make
from tests.benchmarks.published.page import write
from tests.benchmarks.published.sizes import TINY
from tests.benchmarks.published.values import Bar, Comparison, Curve, Growth, Made

_CUBE = Growth(
    "cube", "Cubes", "side", "ms", "n = 1", (
        Curve("volume", ((1.0, (1.0,)), (10.0, (900.0, 1000.0, 1100.0)), (100.0, (1e6,)))),
    ),
)  # fmt: skip


def test_a_tiny_run_makes_the_page_its_plots_and_the_figures(tmp_path: Path) -> None:
    make(tmp_path, TINY, "a test", parts=("stages", "parsing", "growing"))

    page = (tmp_path / "index.html").read_text("utf-8")
    told = json.loads((tmp_path / "figures.json").read_text("utf-8"))
    sections = {one["key"]: one for one in told["sections"]}
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


def test_spread_growth_and_what_was_left_out_are_told(tmp_path: Path) -> None:
    pairs = Comparison(
        "pairs",
        "Pairs <of> texts",
        "ms",
        "n = 7",
        (Bar("ours", (2.0, 1.0, 4.0)),),
        ("PyTorch: it is not installed",),
    )
    (tmp_path / "old.svg").write_text("of the run before", "utf-8")

    write(Made((("Machine", "a small one"),), (pairs, _CUBE)), tmp_path)

    page = (tmp_path / "index.html").read_text("utf-8")
    assert "1.0 to 4.0" in page
    assert "Left out: PyTorch: it is not installed" in page
    assert "Pairs &lt;of&gt; texts" in page
    [_, cube] = json.loads((tmp_path / "figures.json").read_text("utf-8"))["sections"]
    assert cube["curves"][0]["exponent"] == 3.0
    assert sorted(one.name for one in tmp_path.glob("*.svg")) == [
        "cube.svg",
        "pairs.svg",
    ]
