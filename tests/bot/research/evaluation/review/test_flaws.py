"""What a review finds in a generated article and in the good one, and who found it."""

import json
from pathlib import Path

from click.testing import CliRunner

from bot.daemon.check import Reviewer
from bot.research.cli.wiki_live import of_review
from bot.research.evaluation.datasets import Data
from bot.research.evaluation.review.flaws import report_of, review_all
from bot.research.evaluation.review.wiki_writing import Pair, Paired
from handlers.model import Category, ModelFailure
from tests.bot.research.evaluation.review.folder import TITLE, shared_form
from tests.bot.research.model import Model
from tests.fakes import Silent

_GOOD = "# Marstal Bridge\n\nMarstal Bridge is a road bridge that was opened in 1931.\n"
_WORSE = (
    "# Marstal Bridge\n\nMarstal Bridge is a legendary, world-class bridge. Critics say"
    " that it is a breathtaking masterpiece of a visionary engineer.\n"
)


FOUND = Paired(
    Data("ours", "0", 1, ()), {"one": (Pair("Marstal Bridge", _WORSE, _GOOD),)}
)


async def test_an_article_that_praises_weighs_more_than_a_good_one() -> None:
    reviewed = await review_all(FOUND, Reviewer(), Silent())

    report = report_of(FOUND, reviewed, None).to_dict()

    assert report["metrics"]["told_apart"] == 1
    assert report["metrics"]["systems"]["one"]["pairs"] == 1
    assert report["engine"]["turns"]["reviewer"] == {"played": 0, "failed": 0}
    assert report["engine"]["findings"]["program"] > 0


async def test_a_model_that_says_nothing_is_counted_and_credited_with_nothing() -> None:
    model = Model(ModelFailure.UNREADABLE)
    reviewed = await review_all(FOUND, Reviewer(language_model=model), Silent())

    engine = report_of(FOUND, reviewed, model.engine).to_dict()["engine"]

    calls = 2 * len(Category)
    assert engine["turns"]["reviewer"] == {"played": 0, "failed": calls}
    assert engine["calls"] == calls
    assert "model" not in engine["findings"]


def test_the_command_reads_a_benchmark(tmp_path: Path) -> None:
    place = shared_form(tmp_path)
    output = tmp_path / "out.json"

    result = CliRunner().invoke(
        of_review,
        ["--benchmark", str(place), "--article", TITLE, "--json", str(output)],
        obj=None,
    )

    assert result.exit_code == 0, result.output
    assert json.loads(output.read_text("utf-8"))["metrics"]["pairs"] == 1
