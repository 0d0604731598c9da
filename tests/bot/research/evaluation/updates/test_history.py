"""Discovery beside what people added, on a wiki that answers as MediaWiki does."""

from collections.abc import AsyncIterator, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from bot.daemon.discoverer import Discoverer
from bot.models.lexical import LexicalVerifier
from bot.research.evaluation.page import render_page
from bot.research.evaluation.report import EvaluationReport
from bot.research.evaluation.updates import history
from bot.research.evaluation.updates.coverage import Configuration, EmbeddedJudge
from bot.research.evaluation.updates.discovery import OpensAll
from bot.research.evaluation.updates.history import Examiner
from bot.research.evaluation.updates.human_edits import (
    HistoryReader,
    Period,
    RuleFacts,
    StudiedPage,
    Study,
)
from bot.wiki.address import parse_address
from bot.wiki.history import WikiHistory
from handlers.model import (
    Found,
    Imprint,
    Origin,
    Query,
    Source,
    SourceFetch,
    SourceForm,
    SourceOutcome,
    SourceText,
)
from handlers.ports import PermanentError
from handlers.updates.criteria import OutlineCriteria
from handlers.updates.roles import Roles, Tools
from tests.bot.research.engine import WordEncoder
from tests.bot.research.evaluation.updates.roles import TakesAll
from tests.fakes import FakeSources, Silent
from tests.rig.search.wikis import Article, WikiServer

_HALL = "Ashdown Arena"
_ROOF = "https://news.example/roof"
_FACT = "In March 2024 the roof of the arena was replaced by Weir & Sons after a storm."
_BASE = """'''Ashdown Arena''' is a hall in Ashdown. It opened in 1998.

== History ==
The hall was built for four million pounds. It seats 20,000 people.
"""
_WITH_FACT = _BASE.replace(
    "people.",
    f"people. {_FACT}<ref>{{{{cite news|url={_ROOF}|title=Roof|date=10 March 2024}}}}</ref>",
)
_LATER = _WITH_FACT.replace(
    "in 1998.",
    "in 1998. It hosted a congress in 1999.<ref>{{cite book|title=Halls|url=https://books.example/h|year=2001}}</ref>",
)
_PAGE = (
    "The roof of Ashdown Arena in Ashdown was replaced by Weir & Sons in March 2024 after"
    " a storm. The work on the arena took three weeks and cost 1.2 million pounds."
)
_STUDY = Study(
    "127.0.0.1",
    (StudiedPage(_HALL, "venues"), StudiedPage("Nowhere")),
    date(2024, 3, 1),
    date(2024, 4, 10),
)


class _OnePage:
    name = "one page"

    async def search(self, query: Query, *, limit: int) -> Sequence[Found]:
        assert query.window is not None
        return [Found(_ROOF, "Roof of Ashdown Arena", _PAGE[:80], 1.0, self.name)][
            :limit
        ]


def _reading(address: str, text: str) -> SourceFetch:
    imprint = Imprint(published="2024-03-10")
    return SourceFetch(
        Source(SourceForm.URL, raw=address, url=address),
        SourceOutcome.READ,
        "",
        Origin.LIVE,
        url=address,
        document=SourceText(text, "Roof", published="2024-03-10", imprint=imprint),
    )


@pytest.fixture
async def server() -> AsyncIterator[WikiServer]:
    async with WikiServer() as served:
        # The last edit brings words without a source, and is none that counts.
        revisions = (
            ((2023, 5, 1), _BASE),
            ((2024, 3, 13), _WITH_FACT),
            ((2024, 4, 2), _LATER),
            ((2024, 4, 9), _LATER.replace("in 1999", "in 1999 and 2000")),
        )
        texts = [(datetime(*day, tzinfo=UTC), text) for day, text in revisions]
        served.wikis["en"] = {_HALL: Article(texts)}
        yield served


def _histories(server: WikiServer) -> WikiHistory:
    return WikiHistory(parse_address(server.address("en")), user_agent="Sidenote tests")


def _discoverer() -> Discoverer:
    verifier, likeness = LexicalVerifier(), WordEncoder()
    books = _reading("https://books.example/h", "A book on halls.")
    sources = FakeSources([_reading(_ROOF, _PAGE), books])
    tools = Tools((_OnePage(),), sources, verifier, likeness)
    roles = Roles(OutlineCriteria(), OpensAll(), TakesAll(()))
    return Discoverer(roles, tools, lambda: datetime(2026, 1, 1, tzinfo=UTC))


async def _measured(
    server: WikiServer,
    folder: Path,
    *,
    runs: bool = True,
    configurations: Sequence[Configuration] = tuple(Configuration),
) -> EvaluationReport:
    histories = _histories(server)
    history_reader = HistoryReader("127.0.0.1", histories, RuleFacts())
    judge = EmbeddedJudge(LexicalVerifier())
    examiner = Examiner("127.0.0.1", histories, _discoverer(), judge, configurations)
    return await history.evaluate(
        _STUDY, history_reader, examiner if runs else None, folder, Silent()
    )


async def test_what_people_added_is_reported_with_the_age_of_its_sources(
    server: WikiServer, tmp_path: Path
) -> None:
    report = await _measured(server, tmp_path, runs=False)

    human_edits = report.metrics["human_edits"]
    assert (human_edits["edits"], human_edits["sources"]) == (2, 2)
    assert human_edits["left_out"] == {"it brings no new source": 1}
    assert human_edits["of_their_year_share"] == 0.5
    assert human_edits["latency_days_median"] == 3.0
    assert human_edits["source_of_their_period_share"] == 1.0
    assert "soft_coverage" not in report.metrics
    [unscored] = report.unscored
    assert "Nowhere" in unscored.reason


async def test_discovery_sees_the_article_as_it_was_and_is_compared_with_people(
    server: WikiServer, tmp_path: Path
) -> None:
    report = await _measured(server, tmp_path)

    whole: dict[str, Any] = dict(report.metrics)
    assert whole["edits"] == 2
    for one in (whole, whole["oracle"], whole["ablations"]["single_query"]):
        assert one["soft_coverage"] == 0.5  # the roof, not the congress
    assert whole["by_category"]["venues"]["soft_coverage"] == 0.5
    assert whole["oracle"]["of_own_pages_share"] == 1.0
    assert report.engine["judge"].startswith("lexical")
    assert report.engine["facts"] == "by rules"
    assert report.to_dict()["data"]["periods_with_edits"] == 2
    page = render_page(report)
    assert page.count('<svg role="img"') == 4
    assert "Edits with a source from their own year" in page


async def test_what_is_done_is_not_done_again(
    server: WikiServer, tmp_path: Path
) -> None:
    first = await _measured(server, tmp_path)
    before = len(server.requests)
    broken, *_ = (tmp_path / "results").iterdir()
    broken.write_text("{broken", "utf-8")

    second = await _measured(server, tmp_path)

    assert second.metrics["soft_coverage"] == first.metrics["soft_coverage"]
    # The page that is not there, and the text of the broken period.
    assert len(server.requests) - before == 2


async def test_results_of_other_runs_are_not_taken_for_these(
    server: WikiServer, tmp_path: Path
) -> None:
    few = (Configuration.FULL, Configuration.ORACLE)
    await _measured(server, tmp_path, configurations=few)

    whole = await _measured(server, tmp_path)

    assert whole.metrics["ablations"]["single_query"]["soft_coverage"] == 0.5


async def test_without_any_page_there_is_nothing_to_measure(
    server: WikiServer, tmp_path: Path
) -> None:
    server.wikis["en"] = {}

    with pytest.raises(PermanentError, match="no page could be read"):
        await _measured(server, tmp_path)


def test_periods_cover_each_day_once() -> None:
    periods = _STUDY.periods

    assert periods[0] == Period(date(2024, 3, 1), date(2024, 3, 14))
    assert periods[-1] == Period(date(2024, 3, 29), date(2024, 4, 10))
    assert periods[1].since == date(2024, 3, 15)
