"""How long each target was fuzzed, added up over all runs that share a folder.

What came of all runs so far stands in `accounts.json` beside the corpus, so that a search
on another machine goes on from both.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

KEPT = Path(__file__).with_name("accounts.json")
# The fuzzer's own, by the clock: on a busy machine it says nothing.
_SLOW = "-slow-unit-"


@dataclass(frozen=True, slots=True)
class Account:
    """What one target has had. The reading of the corpus counts, the start-up does not."""

    cpu_s: float = 0.0
    executions: int = 0
    rounds: int = 0
    crashes: int = 0  # of the interpreter, or for memory
    since: str = ""
    until: str = ""

    def with_round(self, cpu_s: float, executions: int, *, crashed: bool) -> "Account":
        """Return the account after one more round."""
        now = datetime.now(UTC).isoformat(timespec="minutes")
        return Account(
            self.cpu_s + cpu_s,
            self.executions + executions,
            self.rounds + 1,
            self.crashes + crashed,
            self.since or now,
            now,
        )


@dataclass(frozen=True, slots=True)
class State:
    """The folder where a search goes on from run to run.

    It holds `corpus/TARGET/`, `findings/TARGET/`, `crashes/` and `accounts/`.
    """

    folder: Path

    def account(self, name: str) -> Account:
        """Return what a target has had so far."""
        path = self._account(name)
        return Account(**json.loads(path.read_text())) if path.exists() else Account()

    def keep(self, name: str, account: Account) -> None:
        """Replace what a target has had."""
        path = self._account(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        passing = path.with_suffix(".new")
        passing.write_text(json.dumps(asdict(account)))
        passing.replace(path)

    def go_on(self, accounts: Mapping[str, Account]) -> None:
        """Begin with `accounts` where there is none yet."""
        for name, account in accounts.items():
            if not self._account(name).exists():
                self.keep(name, account)

    def progress(self, name: str) -> tuple[float, int]:
        """Return seconds and executions of the round that just ended; they are forgotten."""
        path = self.folder / "progress" / f"{name}.json"
        if not path.exists():
            return 0.0, 0
        progress = json.loads(path.read_text())
        path.unlink()
        return float(progress["cpu_s"]), int(progress["executions"])

    def corpus(self, name: str) -> Path:
        """Return the folder of a target's inputs."""
        return self.folder / "corpus" / name

    def inputs(self, name: str) -> list[bytes]:
        """Return all inputs of a target."""
        return [path.read_bytes() for path in sorted(self.corpus(name).glob("*"))]

    def findings(self, name: str) -> list[Path]:
        """Return what broke a promise and was not mended yet."""
        return sorted((self.folder / "findings" / name).glob("*.json"))

    def crashes(self, name: str) -> list[Path]:
        """Return inputs that ended the interpreter, or took too much memory."""
        kept = (self.folder / "crashes").glob(f"{name}-*")
        return sorted(path for path in kept if _SLOW not in path.name)

    def open_findings(self, name: str) -> list[Path]:
        """Return all that is still to be mended."""
        return [*self.findings(name), *self.crashes(name)]

    def _account(self, name: str) -> Path:
        return self.folder / "accounts" / f"{name}.json"


def kept(path: Path = KEPT) -> dict[str, Account]:
    """Return what all targets had had when their corpus was last written."""
    accounts = json.loads(path.read_text())
    return {name: Account(**account) for name, account in accounts.items()}


def write(accounts: Mapping[str, Account], path: Path = KEPT) -> None:
    """Replace what all targets have had."""
    rows = {name: asdict(account) for name, account in accounts.items()}
    path.write_text(json.dumps(rows, indent=1) + "\n")
