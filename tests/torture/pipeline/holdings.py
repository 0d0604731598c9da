"""What each life took in hand, and every step that it made with it, as it was told.

All lives add their lines to one file. Its judge asks no database: once somebody took a
page, a plan or a post with a newer fencing number, nothing that begins later may succeed
with an older one; and nobody may take what another holds.
"""

import json
import os
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from enum import Enum
from pathlib import Path
from typing import Any

from bot.records.posts import Attempt
from bot.records.tasks import Lease, TaskKind
from bot.records.watches import PLANS
from bot.store import Store

_KINDS = frozenset({TaskKind.CHECK, *PLANS})


class Act(Enum):
    """What somebody did with a page, a plan or a post."""

    TAKEN = "taken"
    BEGUN = "begun"  # a step that gives it back if it succeeds
    DONE = "done"  # a step that succeeded


@dataclass(frozen=True, slots=True)
class Line:
    """One line. `began_s` is before the store was asked, by the clock of the machine.

    `now` and `until` are what the store was given and what it answered, in seconds;
    `until` is 0 where the holding did not change.
    """

    act: Act
    of: str
    token: int
    verb: str
    began_s: float
    at_s: float
    now: float = 0.0
    until: float = 0.0


class Notes:
    """Adds what one process does to a file that others add to as well."""

    def __init__(self, file: Path) -> None:
        self._file = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    def follow(self, store: Store, lease_s: float) -> None:
        """Note from now on what is done by way of a store."""
        self._lease_s = lease_s
        tasks, outbox = store.tasks, store.outbox
        for of, name in ((tasks, "lease"), (outbox, "begin")):
            setattr(of, name, self._taking(getattr(of, name)))
        ending = {
            tasks: ("finish", "retry", "put_off", "park"),
            store.plans: ("finish",),
            store: ("save_check", "close_page", "finish_check"),
            outbox: ("settle",),
        }
        for owner, names in ending.items():
            for name in names:
                setattr(owner, name, self._step(getattr(owner, name), ends=True))
        for owner, name in ((tasks, "renew"), (outbox, "sending")):
            setattr(owner, name, self._step(getattr(owner, name), ends=False))

    def _taking(self, take: Callable[..., Any]) -> Callable[..., Any]:
        def noted(*given: Any, **named: Any) -> Any:
            began_s = time.monotonic()
            taken = take(*given, **named)
            if taken is not None and _is_noted(taken):
                [now] = [each for each in given if isinstance(each, datetime)]
                until = taken.until.timestamp()
                self._add(Act.TAKEN, taken, "", began_s, now.timestamp(), until)
            return taken

        return noted

    def _step(self, step: Callable[..., Any], *, ends: bool) -> Callable[..., Any]:
        def noted(*given: Any, **named: Any) -> Any:
            held = [each for each in (*given, *named.values()) if _is_noted(each)]
            began_s, verb = time.monotonic(), step.__name__
            if ends:
                for each in held:
                    self._add(Act.BEGUN, each, verb, began_s)
            answer = step(*given, **named)
            for each in held:
                until = 0.0
                if verb == "renew":
                    [now] = [at for at in given if isinstance(at, datetime)]
                    until = (now + timedelta(seconds=self._lease_s)).timestamp()
                self._add(Act.DONE, each, verb, began_s, 0.0, until)
            return answer

        return noted

    def _add(
        self, act: Act, held: Any, verb: str, began_s: float, *times: float
    ) -> None:
        line = Line(
            act, _name(held), held.token, verb, began_s, time.monotonic(), *times
        )
        text = json.dumps(asdict(line) | {"act": act.value}, ensure_ascii=False)
        os.write(self._file, f"{text}\n".encode())


def _is_noted(held: object) -> bool:
    is_lease = isinstance(held, Lease) and held.kind in _KINDS
    return is_lease or isinstance(held, Attempt)


def _name(held: Lease[Any] | Attempt) -> str:
    if isinstance(held, Attempt):
        return f"post {held.post.name[:24]}"
    return f"{held.kind.name} of {held.subject}"


def lines_in(file: Path) -> list[Line]:
    """Return what was noted; a line whose writer was killed within it is left out."""
    if not file.exists():
        return []
    found = []
    for text in file.read_text("utf-8", "replace").splitlines():
        try:
            line = json.loads(text)
            found.append(Line(**line | {"act": Act(line["act"])}))
        except (ValueError, TypeError):
            continue
    return found


def overtaken(lines: Sequence[Line]) -> Iterator[str]:
    """Yield the steps of those who had lost what they stepped with, and double holdings."""
    by_name: defaultdict[str, list[Line]] = defaultdict(list)
    for line in lines:
        by_name[line.of].append(line)
    for of, those in by_name.items():
        taken = [each for each in those if each.act is Act.TAKEN]
        for step in those:
            if step.act is Act.DONE and any(
                each.token > step.token and each.at_s < step.began_s for each in taken
            ):
                yield f"{of}: {step.verb} by who had lost it (number {step.token})"
        for before in taken:
            yield from _taken_from(before, those)


def _taken_from(before: Line, those: Sequence[Line]) -> Iterator[str]:
    """Yield who took what was held until later, and had not been given back."""
    own = [each for each in those if each.token == before.token]
    for after in those:
        if after.act is not Act.TAKEN or after.token <= before.token:
            continue
        is_given_back = any(
            each.act is Act.BEGUN and each.began_s < after.at_s for each in own
        )
        until = max(each.until for each in own if each.began_s <= after.at_s)
        if not is_given_back and after.now < until:
            yield f"{before.of}: taken by two at once (number {after.token})"
