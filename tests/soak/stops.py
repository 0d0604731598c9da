"""The wiki is read-only for a while, and the database server is killed and comes back."""

import shutil
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pymysql

from tests.rig.mariadb import MariaDb, serve_mariadb_again_and_again
from tests.soak.outcome import Outcome, Tell
from tests.soak.play import Play, playing

_NAME = "s1__sidenote"
_SETTINGS = "LocalSettings.php"
_READ_ONLY = "\n$wgReadOnly = 'The servers are being moved.';\n"
_EDIT_S = 5.0


@dataclass(frozen=True, slots=True)
class StopWishes:
    """How often each, and how long the wiki is read-only."""

    seed: int
    times: int = 3
    stop_s: float = 25.0


def run(folder: Path, wishes: StopWishes, tell: Tell) -> Outcome:
    """Do it, and say what came of it."""
    outcome = Outcome(f"{wishes.times} times read-only, {wishes.times} restarts")
    with serve_mariadb_again_and_again() as server:
        with closing(pymysql.connect(user="root", unix_socket=server.socket)) as client:
            client.cursor().execute(f"CREATE DATABASE {_NAME}")
        url = f"mysql+pymysql://root@localhost/{_NAME}?unix_socket={server.socket}"
        with playing(
            folder, outcome, wishes.seed, tell, settings={"database": url}
        ) as play:
            outcome.add("read-only for", f"{wishes.stop_s:g} s each")
            play.edits(_EDIT_S)
            play.deliver("nothing, to begin with")
            for number in range(1, wishes.times + 1):
                play.edits(_EDIT_S)  # something is on its way
                with _read_only(play):
                    time.sleep(wishes.stop_s)
                play.deliver(f"read-only, {number}")
                _restart(play, server)
                play.deliver(f"restart of MariaDB, {number}")
    return outcome


@contextmanager
def _read_only(play: Play) -> Iterator[None]:
    file = play.stage.wiki.folder / _SETTINGS
    kept = file.with_suffix(".kept")
    shutil.copy2(file, kept)
    with file.open("a") as more:
        more.write(_READ_ONLY)
    try:
        yield
    finally:
        file.write_text(kept.read_text())


def _restart(play: Play, server: MariaDb) -> None:
    play.edits(_EDIT_S / 2)
    server.kill()
    play.edits(_EDIT_S / 2)
    server.wait()
