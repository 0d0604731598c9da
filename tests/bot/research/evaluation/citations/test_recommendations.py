"""What is recommended in place of a wrong, a missing and a right citation."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.research.evaluation.citations import recommendations
from bot.research.evaluation.citations.sentences import (
    Outcome,
    Pair,
    article,
    find_pairs,
)
from bot.research.evaluation.events import CitedPage, read_events
from bot.search.index import IndexedSources, IndexSearch
from handlers.citations import check_citations
from handlers.citations.better_sources import Policy, find_better_sources
from handlers.model import Claim, Passage, Trust, Verdict, Verification
from handlers.ports import PermanentError, Tools
from handlers.sources.reliability import ReliabilityLists, Rule
from tests.bot.research.evaluation.event_rows import (
    SENTENCE,
    cited,
    event,
    of_event,
    three_events,
)
from tests.bot.research.evaluation.rows import write
from tests.bot.search.index.documents import HashEncoder
from tests.fakes import FAKE_ENGINE, Silent
from tests.handlers.citations.better_world import opinion


class _Shares:
    """Supports by as much as a page's address is worth; from a half on it is support."""

    engine = FAKE_ENGINE

    def __init__(self, shares: Mapping[str, float]) -> None:
        self._shares = shares
        self.asked: list[tuple[str, str]] = []

    async def verify(
        self, title: str, claim: Claim, passages: Sequence[Passage]
    ) -> Verification:
        assert title
        best = passages[0]
        self.asked.append((claim.text, best.source_key))
        worth = [
            share for part, share in self._shares.items() if part in best.source_key
        ]
        share = max(worth, default=0.1)
        if share >= 0.5:
            return opinion(Verdict.SUPPORTED, share, best)
        return opinion(Verdict.NOT_SUPPORTED, 1 - 3 * share, best)


def measured(
    tmp_path: Path,
    shares: Mapping[str, float],
    data: Path | None = None,
    **more: Any,
) -> dict[str, Any]:
    verifier = _Shares(shares)
    report = recommendations.evaluate(
        data or three_events(tmp_path),
        verifier,
        HashEncoder(),
        Silent(),
        pool=tmp_path / "pool",
        policy=more.pop("policy", Policy()),
        **more,
    )
    assert len(verifier.asked) == len(set(verifier.asked))  # each page once
    return report.to_dict()


def test_the_right_page_is_recommended_in_place_of_another(tmp_path: Path) -> None:
    found = measured(tmp_path, {"clock-1": 0.9, "clock-2": 0.8, "clock-3": 0.7})

    assert found["benchmark"] == "recommendations"
    data = found["data"]
    assert (data["rows"], data["unscored"]) == (5, 2)
    assert (data["pairs"], data["pool"], data["not_acceptable"]) == (3, 6, 0)
    assert found["engine"]["margin"] == 0.2
    wrong = found["metrics"]["wrong_page_cited"]
    assert (wrong["pairs"], wrong["unscored"], wrong["recommendations"]) == (3, 0, 3)
    assert (wrong["searched"], wrong["recommended"]) == (1.0, 1.0)
    # Each sentence meets the clock of the first event among its candidates.
    assert wrong["right"] == pytest.approx(1 / 3, abs=1e-4)
    assert wrong["found"] == wrong["right"]
    for name in ("searched", "recommended", "right", "found"):
        assert len(wrong[f"{name}_ci95"]) == 2
    nothing = found["metrics"]["nothing_cited"]
    assert (nothing["recommended"], nothing["right"]) == (1.0, wrong["right"])


def test_a_right_citation_that_passes_is_left_alone(tmp_path: Path) -> None:
    found = measured(tmp_path, {"clock": 0.9})

    right = found["metrics"]["right_page_cited"]
    assert (right["searched"], right["harm"]) == (0.0, 0.0)


def test_a_page_recommended_in_place_of_the_right_one_is_harm(tmp_path: Path) -> None:
    found = measured(tmp_path, {"clock": 0.25, "ferry": 0.6})["metrics"]

    right = found["right_page_cited"]
    assert (right["searched"], right["harm"], right["recommendations"]) == (1.0, 1.0, 3)
    # A wrong page that passes for supporting is not even questioned.
    assert found["wrong_page_cited"]["searched"] == 0.0
    assert found["wrong_page_cited"]["right"] is None
    assert "share" in found["wrong_page_cited"]["notes"]["right"]
    assert found["nothing_cited"]["right"] == 0.0


def test_margins_and_least_probabilities_are_swept(tmp_path: Path) -> None:
    # The clocks are 0.31 above the pages that are wrongly cited.
    found = measured(tmp_path, {"clock": 0.56, "ferry": 0.25})["metrics"]

    wrong = {name: one["recommended"] for name, one in found["margins"].items()}
    assert wrong == {
        "margin_0_percent": 1.0,
        "margin_10_percent": 1.0,
        "margin_20_percent": 1.0,
        "margin_30_percent": 1.0,
        "margin_40_percent": 0.0,
    }
    least = {name: one["recommendations"] for name, one in found["leasts"].items()}
    assert list(least.values()) == [3, 3, 3, 0, 0, 0]
    assert found["margins"]["margin_20_percent"]["harm"] == 0.0


async def is_advised(
    tools: Tools, policy: Policy, pair: Pair, cited: CitedPage
) -> bool:
    """Tell what the program itself recommends at the margin of `policy`."""
    page = article(pair, cited)
    checks = [one async for one in check_citations(page, tools)]
    [check] = await find_better_sources(page, checks, tools, policy)
    return check.better is not None and check.better.recommendation is not None


@pytest.mark.parametrize("margin", [0.0, 0.2, 0.3, 0.4])
def test_a_margin_recommends_what_the_program_does_at_it(
    tmp_path: Path, margin: float
) -> None:
    shares = {"clock": 0.56, "ferry-1": 0.25, "ferry-2": 0.35, "ferry-3": 0.05}
    swept = measured(tmp_path, shares)["metrics"]["margins"]
    pool, events = tmp_path / "pool", read_events(tmp_path / "events.jsonl.gz").rows
    search = IndexSearch(pool, HashEncoder())
    tools = Tools(IndexedSources(pool), _Shares(shares), searches=(search,))

    async def advised() -> list[bool]:
        return [
            await is_advised(tools, Policy(margin=margin), pair, event.pages[1])
            for pair, event in zip(find_pairs(events), events, strict=True)
        ]

    at_margin = swept[f"margin_{round(margin * 100)}_percent"]
    assert at_margin["recommendations"] == sum(asyncio.run(advised()))


def test_a_page_on_a_site_that_is_not_accepted_is_counted_apart(tmp_path: Path) -> None:
    lists = ReliabilityLists(
        [
            Rule("www.example.org", "", Trust.DEPRECATED),
            Rule("example.org", "", Trust.DEPRECATED),
        ]
    )

    found = measured(tmp_path, {"clock": 0.9}, policy=Policy(lists=lists))

    assert found["data"]["not_acceptable"] == 3
    assert found["metrics"]["wrong_page_cited"]["recommended"] == 0.0


def test_an_event_with_one_page_has_no_wrong_one(tmp_path: Path) -> None:
    rows = [event(1, of_event(1, SENTENCE), cited(1))]
    data = write(tmp_path / "one.jsonl.gz", rows)

    found = measured(tmp_path, {"clock": 0.9}, data)["metrics"]

    assert found["wrong_page_cited"]["unscored"] == 1
    assert found["wrong_page_cited"]["pairs"] == 0
    assert found["wrong_page_cited"]["recommended"] is None
    assert found["nothing_cited"]["found"] == 1.0


def test_fewer_pairs_are_tried_where_that_is_asked_for(tmp_path: Path) -> None:
    found = measured(tmp_path, {"clock": 0.9}, most_pairs=2)

    assert (found["data"]["pairs"], found["data"]["pairs_in_all"]) == (2, 3)
    assert found["metrics"]["nothing_cited"]["pairs"] == 2


def test_data_without_a_pair_is_reported(tmp_path: Path) -> None:
    data = write(tmp_path / "none.jsonl.gz", [event(1, "Too short.")])
    assert read_events(data).rows

    with pytest.raises(PermanentError, match="no sentence whose page can be found"):
        measured(tmp_path, {}, data)


def test_a_source_is_recommended_from_the_margin_on() -> None:
    one = Outcome("1", searched=True, present=0.25, probability=0.5, is_right=True)

    assert one.is_recommended(Policy(margin=0.25))
    assert not one.is_recommended(Policy(margin=0.26))
    assert not one.is_recommended(Policy(margin=0.0, least=0.51))
    assert not replace(one, probability=None).is_recommended(Policy(margin=-1, least=0))
    assert replace(one, present=None).is_recommended(Policy(margin=0.5))
