"""What is judged is kept, and by whom: a stand-in's words are not those of the model."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from bot.models.lexical import LexicalVerifier
from bot.research.evaluation.review.articles import (
    Place,
    articles_of,
    place_of,
    references,
)
from bot.research.evaluation.review.examination import Examiner
from bot.research.evaluation.review.judge import EmbeddedJudge
from bot.research.evaluation.review.wiki_fact import Task, Work, judge_all, task_of
from handlers.model import ModelUse
from tests.bot.research.engine import WordEncoder
from tests.bot.research.evaluation.review.folder import shared_form
from tests.fakes import Silent


class Wavering(EmbeddedJudge):
    """Leaves some questions of an article to another judge."""

    def __init__(self, unanswered: int) -> None:
        super().__init__(LexicalVerifier())
        self._unanswered = unanswered

    def taken(self) -> tuple[ModelUse, int]:
        return ModelUse(), self._unanswered


def work(place: Place, done: Path, unanswered: int) -> Work:
    @asynccontextmanager
    async def opener() -> AsyncIterator[Examiner]:
        yield Examiner(Wavering(unanswered), WordEncoder())

    return Work(opener, place, done)


def test_what_a_model_left_to_another_is_judged_again_and_never_the_worse(
    tmp_path: Path,
) -> None:
    place = place_of(shared_form(tmp_path / "wlc"))
    [article], [reference] = articles_of(place, "good"), references(place)
    task: Task = task_of("good", reference, article, "a model")
    done = tmp_path / "done"

    def unanswered_after(unanswered: int) -> tuple[int, int]:
        had = judge_all([task], work(place, done, unanswered), Silent(), processes=1)
        kept = work(place, done, 0).results.needed(*task.names)
        return had, kept.unanswered

    assert unanswered_after(3) == (0, 3)
    assert unanswered_after(5) == (0, 3)  # over its budget by now
    assert unanswered_after(0) == (0, 0)
    assert unanswered_after(5) == (1, 0)
