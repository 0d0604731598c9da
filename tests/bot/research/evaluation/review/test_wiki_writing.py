"""A run over articles that can be stopped anywhere, and its files."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bot.research.evaluation.review.pairwise import PairwiseJudge, Winner
from bot.research.evaluation.review.wiki_writing import (
    ArticleResult,
    Pair,
    Panel,
    compare_all,
    rows_of,
    save,
    save_summary,
)
from handlers.model import Category, Criterion, ModelFailure
from handlers.ports import ModelRequest
from tests.bot.research.model import Model
from tests.fakes import Silent

CRITERIA = (
    Criterion("ww_cc_1", Category.WELL_WRITTEN, "clarity", "Clear.", "WP:GACR"),
    Criterion("n_1", Category.NEUTRAL, "balance", "Fair.", "WP:NPOV"),
)
PAIRS = [
    Pair("Oslo/Fjord", "good text", "a text"),
    Pair("../Bergen", "bad text", "a text"),
]


def model(silent_about: str = "nothing") -> Model:
    """Prefers good to plain, plain to bad; does not answer about one of them."""

    def answer(request: ModelRequest[Any]) -> object:
        parts = {one.label: one.text for one in request.content}
        if silent_about in parts["article A"] + parts["article B"]:
            return ModelFailure.REFUSED
        ranks = ["bad text", "a text", "good text"]
        a, b = (ranks.index(parts[f"article {one}"]) for one in "AB")
        return {
            "criteria": [
                {"criterion": one.id, "better": "A" if a > b else "B", "why": "plain"}
                for one in CRITERIA
                if one.id in request.instructions
            ]
        }

    return Model(answer)


async def compared(
    folder: Path, asked: Model | None = None, pairs: Sequence[Pair] = PAIRS
) -> list[ArticleResult]:
    asked = asked or model()
    panel = Panel(PairwiseJudge(asked), asked.engine, CRITERIA)
    return await compare_all(pairs, panel, folder, Silent())


def test_each_article_is_kept_in_the_benchmarks_place_and_summed_up(
    tmp_path: Path,
) -> None:
    found = asyncio.run(compared(tmp_path))

    assert save_summary(tmp_path, found) == {
        "total_articles": 2,
        "total_gen_wins": 2,
        "total_gt_wins": 2,
        "total_ties": 0,
        "gen_win_rate": 0.5,
    }
    names = sorted(one.name for one in tmp_path.iterdir())
    assert len(names) == 3
    assert "Oslo_Fjord_writing.json" in names
    details = json.loads((tmp_path / "Oslo_Fjord_writing.json").read_text("utf-8"))
    assert [one["winner"] for one in details["results"]] == ["Gen", "Gen"]
    rows = rows_of("mine", found, {one.id: one for one in CRITERIA})
    assert [(row.title, row.winner) for row in rows] == [
        ("Oslo/Fjord", Winner.GENERATED),
        ("Oslo/Fjord", Winner.GENERATED),
        ("../Bergen", Winner.REFERENCE),
        ("../Bergen", Winner.REFERENCE),
    ]


async def test_what_was_answered_is_not_asked_again(tmp_path: Path) -> None:
    first, again = await compared(tmp_path), model()

    assert await compared(tmp_path, again) == first
    assert not again.asked


async def test_a_broken_file_and_a_changed_article_are_asked_again(
    tmp_path: Path,
) -> None:
    await compared(tmp_path)
    (tmp_path / "Oslo_Fjord_writing.json").write_text('{"title": ', "utf-8")
    changed = [PAIRS[0], Pair("../Bergen", "good text", "a text")]
    again = model()
    found = await compared(tmp_path, again, changed)

    assert len(again.asked) == 2 * 2 * 2
    assert all(one.winner is Winner.GENERATED for each in found for one in each.results)


async def test_what_had_no_answer_is_no_row_and_asked_again_next_time(
    tmp_path: Path,
) -> None:
    found = await compared(tmp_path, model("bad"))

    troubles = ("well_written: it refused to answer (no answer)",) * 2
    troubles += ("neutral: it refused to answer (no answer)",) * 2
    assert found[1].troubles == troubles
    by_id = {one.id: one for one in CRITERIA}
    assert {row.title for row in rows_of("mine", found, by_id)} == {"Oslo/Fjord"}
    again = model()
    later = await compared(tmp_path, again)
    assert (len(again.asked), later[1].troubles) == (4, ())


async def test_what_was_paid_for_is_kept_where_a_later_run_has_no_answer(
    tmp_path: Path,
) -> None:
    [first, *_] = await compared(tmp_path)
    troubled = first.model_copy(update={"troubles": ("neutral: no answer",)})
    save(tmp_path, troubled)

    [later, *_] = await compared(tmp_path, model("text"))

    assert later == troubled
