"""A run over articles that can be stopped anywhere, and its files."""

import asyncio
import json
from pathlib import Path

from bot.research.evaluation.review.pairwise import PairwiseJudge, Winner
from bot.research.evaluation.review.wiki_writing import (
    Pair,
    Panel,
    compare_all,
    rows_of,
    save,
    save_summary,
)
from handlers.model import Category, Criterion, Engine, ModelUse, Setback
from handlers.ports import ModelAnswer, ModelReply, ModelRequest, ModelSilence, T
from tests.fakes import Silent

CRITERIA = (
    Criterion("ww_cc_1", Category.WELL_WRITTEN, "clarity", "Clear.", "WP:GACR"),
    Criterion("n_1", Category.NEUTRAL, "balance", "Fair.", "WP:NPOV"),
)
PAIRS = [
    Pair("Oslo/Fjord", "good text", "a text"),
    Pair("../Bergen", "bad text", "a text"),
]


class Puppet:
    """Prefers good to plain, plain to bad; silent where the test says so."""

    engine = Engine("language model", "puppet")

    def __init__(self, silent_about: str = "nothing") -> None:
        self.asked = 0
        self._silent_about = silent_about

    async def ask(self, request: ModelRequest[T]) -> ModelReply[T]:
        self.asked += 1
        parts = {one.label: one.text for one in request.content}
        if self._silent_about in parts["article A"] + parts["article B"]:
            return ModelSilence(Setback.REFUSED, "", ModelUse(1, 0, 5, 0))
        ranks = ["bad text", "a text", "good text"]
        a, b = (ranks.index(parts[f"article {one}"]) for one in "AB")
        answer = [
            {"criterion": one.id, "better": "A" if a > b else "B", "why": "plain"}
            for one in CRITERIA
            if one.id in request.instructions
        ]
        value = request.answer.model_validate({"criteria": answer})
        return ModelAnswer(value, ModelUse(1, 0, 10, 5))


def panel(model: Puppet) -> Panel:
    return Panel(PairwiseJudge(model), model.engine, CRITERIA)


def test_each_article_is_kept_in_the_benchmarks_place_and_summed_up(
    tmp_path: Path,
) -> None:
    found = asyncio.run(compare_all(PAIRS, panel(Puppet()), tmp_path, Silent()))

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


async def test_what_was_said_is_not_asked_again(tmp_path: Path) -> None:
    first = await compare_all(PAIRS, panel(Puppet()), tmp_path, Silent())
    again = Puppet()

    assert await compare_all(PAIRS, panel(again), tmp_path, Silent()) == first
    assert again.asked == 0


async def test_a_broken_file_and_a_changed_article_are_asked_again(
    tmp_path: Path,
) -> None:
    await compare_all(PAIRS, panel(Puppet()), tmp_path, Silent())
    (tmp_path / "Oslo_Fjord_writing.json").write_text('{"title": ', "utf-8")
    changed = [PAIRS[0], Pair("../Bergen", "good text", "a text")]
    model = Puppet()
    found = await compare_all(changed, panel(model), tmp_path, Silent())

    assert model.asked == 2 * 2 * 2
    assert all(one.winner is Winner.GENERATED for each in found for one in each.results)


async def test_what_had_no_answer_is_no_row_and_asked_again_next_time(
    tmp_path: Path,
) -> None:
    found = await compare_all(PAIRS, panel(Puppet("bad")), tmp_path, Silent())

    assert (
        found[1].troubles
        == ("well_written: it refused to answer",) * 2
        + ("neutral: it refused to answer",) * 2
    )
    by_id = {one.id: one for one in CRITERIA}
    assert {row.title for row in rows_of("mine", found, by_id)} == {"Oslo/Fjord"}
    model = Puppet()
    later = await compare_all(PAIRS, panel(model), tmp_path, Silent())
    assert (model.asked, later[1].troubles) == (4, ())


async def test_what_was_paid_for_is_kept_where_a_later_run_has_no_answer(
    tmp_path: Path,
) -> None:
    half = panel(Puppet())
    [first, *_] = await compare_all(PAIRS, half, tmp_path, Silent())
    troubled = first.model_copy(update={"troubles": ("neutral: no answer",)})
    save(tmp_path, troubled)

    [later, *_] = await compare_all(PAIRS, panel(Puppet("text")), tmp_path, Silent())

    assert later == troubled
