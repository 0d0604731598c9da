"""Kills the MariaDB server under a running program, again and again.

Two processes do all that the program does with its store, by its own loops. The server
comes back each time, and what it confirmed has to be there at the end.
"""

import multiprocessing
import pickle
import random
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from multiprocessing.process import BaseProcess
from multiprocessing.synchronize import Event as SharedEvent
from pathlib import Path

import pymysql

from bot.records.posts import (
    Attempt,
    NotNow,
    Outcome,
    Posted,
    Refusal,
    Refused,
    Unclear,
)
from bot.store import open_store
from bot.store.database import open_engine, parse_url
from tests.rig.mariadb import MariaDb, serve_mariadb_again_and_again
from tests.torture import hurry
from tests.torture.judging import Case, figures, judge
from tests.torture.ledger import Ledger, heard, open_noted_store
from tests.torture.pages import Revisions, titles_of
from tests.torture.tally import Tally
from tests.torture.traffic import Traffic

_PROCESSES = 2
_NAME = "s1__sidenote"
_LAST_S = 300.0  # for all that waits to be done after the last kill
_forked = multiprocessing.get_context("fork")


def run(count: int, seed: int) -> Tally:
    """Kill the server `count` times while the program works; see what is lost."""
    began_s = time.monotonic()
    titles = tuple(name for number in range(_PROCESSES) for name in titles_of(number))
    revisions = Revisions(titles, _forked.Array("q", [0] * len(titles)))
    with serve_mariadb_again_and_again() as server, _folder() as made_folder:
        url = _new_database(server)
        stop, clock = _forked.Event(), hurry.Clock()
        files = [
            made_folder.parent / f"ledger {number}" for number in range(_PROCESSES)
        ]
        lives = [
            _begin(_Life(number, url, file, made_folder, revisions, clock, stop, seed))
            for number, file in enumerate(files)
        ]
        _kill(server, count, seed, lives)
        stop.set()
        ledgers = [_ended(life, file) for life, file in zip(lives, files, strict=True)]
        engine = open_engine(parse_url(url), lock_timeout_s=5)
        with open_store(url) as store:
            case = Case(
                store,
                engine,
                ledgers,
                revisions,
                lambda name: (made_folder / name).exists(),
            )
            faults, counts = judge(case), figures(case)
        engine.dispose()
    took_s = time.monotonic() - began_s
    return Tally("kills of MariaDB", count, seed, took_s, counts, faults)


@contextmanager
def _folder() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="sidenote-torture-"))
    posted = folder / "made"
    posted.mkdir()
    try:
        yield posted
    finally:
        shutil.rmtree(folder)


def _new_database(server: MariaDb) -> str:
    place = server.socket
    with closing(pymysql.connect(user="root", unix_socket=place)) as client:
        client.cursor().execute(f"CREATE DATABASE {_NAME}")
    url = f"mysql+pymysql://root@localhost/{_NAME}?unix_socket={place}"
    with open_store(url):
        return url


def _kill(server: MariaDb, count: int, seed: int, lives: list[BaseProcess]) -> None:
    """Let the server live for a while, seldom so short that it has only begun."""
    chance = random.Random(seed)
    for _ in range(count):
        if chance.random() < 0.8:
            server.wait()
            time.sleep(chance.uniform(0.2, 1.2))
        else:
            time.sleep(chance.uniform(0.0, 0.15))
        server.kill()
        if not all(life.is_alive() for life in lives):
            return
    server.wait()


@dataclass(frozen=True, slots=True)
class _Life:
    number: int
    url: str
    file: Path
    made: Path
    revisions: Revisions
    clock: hurry.Clock
    stop: SharedEvent
    seed: int


def _begin(life: _Life) -> BaseProcess:
    process = _forked.Process(target=_live, args=(life,), daemon=True)
    process.start()
    return process


def _live(life: _Life) -> None:
    ledger = Ledger()
    chance = random.Random(life.seed * 10 + life.number)
    try:
        with heard(ledger), open_noted_store(life.url, ledger) as store:
            maker = _Maker(life.made, ledger, random.Random(chance.random()))
            traffic = Traffic(
                number=life.number,
                store=store,
                ledger=ledger,
                clock=life.clock,
                revisions=life.revisions,
                maker=maker,
                stop=life.stop.is_set,
                chance=chance,
            )
            hurry.run(traffic.run())
    except Exception as error:  # noqa: BLE001 - reported at the end
        ledger.faults.append(f"process {life.number} ended: {error!r}")
    life.file.write_bytes(pickle.dumps(ledger))


def _ended(life: BaseProcess, file: Path) -> Ledger:
    life.join(_LAST_S)
    if life.is_alive():
        life.kill()
    if not file.exists():
        return Ledger(faults=["a process did not end"])
    kept = pickle.loads(file.read_bytes())  # noqa: S301 - written by us
    assert isinstance(kept, Ledger)
    return kept


@dataclass(slots=True)
class _Maker:
    """Makes posts as the gate does: it looks first where an earlier try may have.

    A post that was made is a file of its name, which can be made only once.
    """

    made: Path
    ledger: Ledger
    chance: random.Random
    revision_id: int = field(default=1)

    def attempt(self, attempt: Attempt) -> Outcome:
        file = self.made / attempt.post.name
        self.revision_id += 1
        if attempt.first_tried_at is not None and file.exists():
            return Posted(self.revision_id)
        luck = self.chance.random()
        if luck < 0.05:
            return NotNow("the wiki is busy", 1.0)
        if luck < 0.08:
            return Refused(Refusal.CHANGED, "somebody edited the page")
        try:
            file.touch(exist_ok=False)
        except FileExistsError:
            self.ledger.faults.append(f"{attempt.post.name[:12]} was posted twice")
        if luck < 0.2:
            return Unclear("the answer was lost", 1.0)
        return Posted(self.revision_id)
