"""Every link of the program fails in every way; how long until all is delivered again.

While a link fails, people go on editing. When it is mended they rest, and the time
counts until each of their changes was looked at and all that came of it was posted.
"""

import asyncio
import random
import time
from collections.abc import Coroutine, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import pymysql

from tests.rig.language_model import Asked, ModelServer, judges, serving
from tests.rig.mariadb import serve_mariadb
from tests.soak.ground import Ground
from tests.soak.links import Fault, Link, linking, loop_in_thread
from tests.soak.outcome import Outcome, Tell
from tests.soak.play import MOST_S, Play, playing

_T = TypeVar("_T")
_NAME = "s1__sidenote"
_PAUSE_S = 2.0
LINKS = ("stream", "wiki", "sources", "database", "language model")


@dataclass(frozen=True, slots=True)
class FaultWishes:
    """Which links fail in which ways, in an order of chance, and how long each time."""

    seed: int
    fault_s: float = 8.0
    links: tuple[str, ...] = LINKS
    faults: tuple[Fault, ...] = tuple(Fault)


def run(folder: Path, wishes: FaultWishes, tell: Tell) -> Outcome:
    """Do it, and say what came of it."""
    links = " and ".join(wishes.links)
    outcome = Outcome(f"{links}: {len(wishes.faults)} ways to fail")
    with _others(wishes.seed) as others:
        settings = {**others.settings, "stream_silence_s": "30"}
        with playing(
            folder,
            outcome,
            wishes.seed,
            tell,
            settings=settings,
            our_settings={"database": others.own_database},
        ) as play:
            outcome.add("each fault lasts", f"{wishes.fault_s:g} s")
            play.edits(2)
            play.deliver("nothing, to begin with")
            strikes = [
                (link, fault) for link in wishes.links for fault in wishes.faults
            ]
            random.Random(wishes.seed).shuffle(strikes)
            for name, fault in strikes:
                _strike(play, others, name, fault, wishes.fault_s)
            outcome.add("asked of the model", f"{len(others.model.asked):,}")
    return outcome


@dataclass(frozen=True, slots=True)
class _Others:
    """The database and the model, each behind a link."""

    database: Link
    model_link: Link
    model: ModelServer
    own_database: str
    settings: dict[str, str]

    def link(self, stage: Ground, name: str) -> Link:
        return {
            "stream": stage.stream_link,
            "wiki": stage.wiki_link,
            "sources": stage.source_link,
            "database": self.database,
            "language model": self.model_link,
        }[name]


@contextmanager
def _others(seed: int) -> Iterator[_Others]:
    with (
        serve_mariadb() as place,
        loop_in_thread() as loop,
        linking(seed + 1) as links,
    ):
        with closing(pymysql.connect(user="root", unix_socket=place)) as client:
            client.cursor().execute(f"CREATE DATABASE {_NAME}")
        database = links.open("database", place)
        entered = serving(judges(_judged))
        model = _done(loop, entered.__aenter__())
        model_link = links.open("language model", f"127.0.0.1:{model.port}")
        named = {
            "database": f"mysql+pymysql://root@{database.host}/{_NAME}",
            "language_model_address": f"http://{model_link.host}/v1",
            "language_model_name": "loopback",
            "language_model_daily_calls": "1000000",
        }
        ours = f"mysql+pymysql://root@localhost/{_NAME}?unix_socket={place}"
        try:
            yield _Others(database, model_link, model, ours, named)
        finally:
            _done(loop, entered.__aexit__(None, None, None))


def _done(loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, _T]) -> _T:
    return asyncio.run_coroutine_threadsafe(work, loop).result(30)


def _judged(claim: str, request: Asked) -> tuple[str, str]:
    """Say whether a claim stands in its source word for word."""
    if claim in request.excerpts:
        return "supported", claim
    return "not_supported", ""


def _strike(
    play: Play, others: _Others, name: str, fault: Fault, fault_s: float
) -> None:
    link, links = others.link(play.stage, name), play.stage.links
    after = f"{name}: {fault.value}"
    links.suffer(link, fault)
    play.edits(fault_s)
    links.suffer(link, None)
    before = len(others.model.asked)
    took_s = play.deliver(after)
    if name == "language model" and len(others.model.asked) == before:
        _until_asked(play, others, after, took_s)


def _until_asked(play: Play, others: _Others, after: str, took_s: float) -> None:
    """Wait until the model is asked again, which nothing else waits for."""
    before = len(others.model.asked)
    began_s = time.monotonic()
    while len(others.model.asked) == before:
        if time.monotonic() - began_s > 2 * MOST_S:
            break
        play.people._change_a_sentence()
        time.sleep(_PAUSE_S)
    play.note(f"{after}, until it is asked", took_s + time.monotonic() - began_s)
