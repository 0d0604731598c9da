"""The aggregator with the models that ship, on pairs judged by hand."""

import asyncio
import tomllib
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from bot.adapters.text_encoder import RememberingEncoder
from bot.bootstrap import open_verifier
from bot.settings import Settings
from handlers.model import Ignore, Ignored, Replace, Ruling, Window
from handlers.updates.aggregating import EmbeddedAggregator
from handlers.updates.criteria import EmbeddedCriteria
from handlers.updates.entailing import Remembering
from handlers.updates.subjects import subject_of
from tests.handlers.updates.builders import TODAY, article, candidate


def _read(name: str) -> list[dict[str, Any]]:
    text = Path(__file__).with_name(name).read_text("utf-8")
    found: list[dict[str, Any]] = tomllib.loads(text)["pair"]
    return found


_PAIRS = _read("pairs.toml")
_MORE = _read("more_pairs.toml")
_SINCE = date(2026, 1, 1)
_ODD = [*range(1, len(_PAIRS) + 1, 2)]
_EVEN = [*range(2, len(_PAIRS) + 1, 2)]


@dataclass(frozen=True)
class Judge:
    """The aggregator that ships, loaded once."""

    aggregator: EmbeddedAggregator

    def rule(self, pair: dict[str, Any]) -> Ruling:
        return asyncio.run(self._rule(pair))

    async def _rule(self, pair: dict[str, Any]) -> Ruling:
        window = Window(pair.get("since", _SINCE), TODAY)
        page = article(pair["article"], pair["title"])
        subject = (await subject_of(page, window, TODAY, EmbeddedCriteria())).value
        given = candidate(text=pair["quote"], dated=pair["dated"], section=())
        return (await self.aggregator.rule(subject, given, ())).value

    def outdated(self, pair: dict[str, Any]) -> str | None:
        ruling = self.rule(pair)
        is_outdated = isinstance(ruling, Replace) and ruling.statement is not None
        return ruling.statement.text if is_outdated else None  # type: ignore[union-attr]


@pytest.fixture(scope="session")
def judge() -> Judge:
    verifier = Remembering(open_verifier(Settings()))
    return Judge(EmbeddedAggregator(verifier, RememberingEncoder()))


@pytest.mark.parametrize("number", _ODD)
def test_a_pair_that_was_looked_at_is_ruled_on_as_people_do(
    judge: Judge, number: int
) -> None:
    pair = _PAIRS[number - 1]
    assert judge.outdated(pair) == pair.get("outdated")


@pytest.mark.parametrize("pair", _MORE, ids=[one["quote"][:50] for one in _MORE])
def test_so_is_each_pair_by_which_rules_were_mended(
    judge: Judge, pair: dict[str, Any]
) -> None:
    assert judge.outdated(pair) == pair.get("outdated")


def test_of_the_other_pairs_few_are_called_outdated_in_error(
    judge: Judge,
) -> None:
    pairs = [_PAIRS[number - 1] for number in _EVEN]
    told = [(judge.outdated(one), one.get("outdated")) for one in pairs]
    called = [one for one in told if one[0] is not None]
    right = sum(found == wanted for found, wanted in called)
    assert right >= 0.9 * len(called)
    assert right >= 11, "of 15 that are outdated"


def test_the_price_of_a_part_disputes_nothing(judge: Judge) -> None:
    [roof] = [one for one in _PAIRS if "roof" in one.get("why", "")]
    ruling = judge.rule(roof | {"quote": "The roof cost 1.2 million pounds."})
    assert not (isinstance(ruling, Ignore) and ruling.why is Ignored.DISPUTED)


def test_that_somebody_has_long_accused_another_does_not_follow_from_one_day(
    judge: Judge,
) -> None:
    pair = {
        "title": "Evacuation of the Reed Valley",
        "article": (
            "The '''evacuation of the Reed Valley''' began on 13 October 2026. On 15"
            " October, Northland's chief military spokesman accused the Reed Front of"
            " trying to use civilians as human shields and called on villagers to move"
            " south."
        ),
        "dated": date(2026, 10, 20),
        "quote": (
            "Northland has long accused the Reed Front of using villagers as human"
            " shields."
        ),
    }
    ruling = judge.rule(pair)
    assert not (isinstance(ruling, Ignore) and ruling.why is Ignored.ALREADY_SAID)


def test_a_figure_of_a_known_year_stays_true_in_a_table(judge: Judge) -> None:
    table = (
        "'''Mill Lane''' is a football ground in Tern.\n{| class='wikitable'\n"
        "! Year !! Attendance\n|-\n| 2024 || 4,100\n|-\n| 2025 || 5,300\n|}"
    )
    pair = {
        "title": "Mill Lane",
        "article": table,
        "dated": date(2026, 9, 1),
        "quote": "Mill Lane has an average attendance of 6,020 this year.",
    }
    assert judge.outdated(pair) is None
