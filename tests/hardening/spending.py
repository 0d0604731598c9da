"""A server that bills whatever it does, and lies about it, asked ten thousand times.

Once by one process with its own budget, and once by many that come and go and have that
of a day together.

Faults that have us leave a server alone are not among what it does: they would end the
spending long before the cap.
"""

import asyncio
import json
from collections.abc import Sequence
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import Any

from bot.app.wiring.language_model import DailyBudget
from bot.models.language_model import Budget, Prices, RetryPolicy
from bot.records.spending import Allowance
from bot.store import open_store
from handlers.ports import ModelOutOfReachError, ModelUnusableError
from tests.bot.models.language_model.tools import model, request
from tests.hardening.figures import Figures, measured
from tests.rig.databases import ready_sqlite
from tests.rig.language_model import (
    Asked,
    ModelServer,
    Script,
    http,
    says,
    sends,
    serving,
)

_CAP = Decimal("0.40")
_NEARLY = Decimal("0.8")  # of it has to be spent: it is the cap that ends the asking
_PRICES = Prices(Decimal(10), Decimal(30))
_HASTY = RetryPolicy(
    timeout_s=2.0, attempts=2, first_wait_s=0.0, longest_wait_s=0.0, all_waits_s=0.0
)
_USAGES: tuple[object, ...] = (
    None,
    {},
    [],
    {"prompt_tokens": 0, "completion_tokens": 0},
    {"prompt_tokens": -5, "completion_tokens": -5},
    {"prompt_tokens": "many", "completion_tokens": None},
)


def _scripts() -> list[Script]:
    """Return what it answers, one after the other, each after it has billed."""
    lying = [says("{}", usage=usage) for usage in _USAGES]
    broken = [
        says("no JSON at all"),
        says("", finish="length"),
        says('{"verdict":"x"}', usage={"prompt_tokens": 1, "completion_tokens": 1}),
        says(None, refusal="no"),
        sends(http("200 OK", b'{"choices": []}')),
    ]
    return [*lying, *broken]


async def try_jobs(count: int) -> Figures:
    """Ask `count` questions; what the server bills at worst must stay below the cap."""
    with measured("G9", "questions to a server that bills and fails") as figures:
        scripts = _scripts() * (count // 10)
        refused = 0
        async with (
            serving(*scripts) as server,
            model(
                server,
                budget=Budget(_CAP, count),
                prices=_PRICES,
                retry=_HASTY,
            ) as model_port,
        ):
            for _ in range(count):
                figures.tried += 1
                before = len(server.asked)
                with suppress(ModelOutOfReachError, ModelUnusableError):
                    await model_port.ask(request())
                refused += len(server.asked) == before
            billed = _billed(server.asked)
        if not _NEARLY * _CAP < billed <= _CAP:
            figures.fault(f"billed {billed} of {_CAP}")
        figures.notes = [
            f"{len(server.asked):,} requests were sent, {refused:,} questions were not",
            f"billed {billed:.3f} of {_CAP} at worst",
        ]
    return figures


async def try_restarts(processes: int, questions: int, folder: Path) -> Figures:
    """Let that many processes ask one after the other, each with a new memory.

    Args:
        processes: how many; three work at a time, and the fourth comes when all ended.
        questions: of each.
        folder: for the database that keeps what the day may cost.
    """
    with measured("G9", "questions of processes that share a day's cap") as figures:
        scripts = _scripts() * (processes * questions // 10 + 1)
        with open_store(ready_sqlite(folder / "spending.sqlite")) as store:
            day = DailyBudget(store, Allowance(_CAP, processes * questions))
            async with serving(*scripts) as server:
                for first in range(0, processes, 3):
                    await asyncio.gather(
                        *(
                            _process(server, day, questions, figures)
                            for _ in range(first, min(first + 3, processes))
                        )
                    )
                billed = _billed(server.asked)
        if not _NEARLY * _CAP < billed <= _CAP:
            figures.fault(f"billed {billed} of {_CAP}")
        figures.notes = [
            f"{processes:,} processes sent {len(server.asked):,} requests",
            f"billed {billed:.3f} of {_CAP} at worst",
        ]
    return figures


async def _process(
    server: ModelServer, shared_budget: DailyBudget, questions: int, figures: Figures
) -> None:
    own = Budget(_CAP, questions).without_end
    async with model(
        server, budget=own, prices=_PRICES, retry=_HASTY, shared_budget=shared_budget
    ) as model_port:
        for _ in range(questions):
            figures.tried += 1
            with suppress(ModelOutOfReachError, ModelUnusableError):
                await model_port.ask(request())


def _billed(requests: Sequence[Asked]) -> Decimal:
    return sum((_worst(one.body) for one in requests), Decimal(0))


def _worst(body: dict[str, Any]) -> Decimal:
    """Return what a request can cost: a token for each byte, and all that it may say."""
    rest = {name: value for name, value in body.items() if name != "messages"}
    given = [str(message["content"]) for message in body["messages"]]
    most = body.get("max_completion_tokens") or body.get("max_tokens") or 0
    input_bytes = sum(len(one.encode()) for one in (*given, json.dumps(rest)))
    return _PRICES.of(input_bytes, int(str(most)))
