"""Writes what was planned, page by page, and says at the end what stands on the wiki.

The first failure ends it: what comes later may need what failed. Whatever was written
stays, and the same command goes on where this one ended, for pages that are as they
should be are left alone.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from bot.records.posts import NotNow, Outcome, Posted
from gadget.deploying.planning import Change, Standing, Step, summary_of
from handlers.ports import PermanentError, TemporaryError

Tell = Callable[[Step], None]


class Gate(Protocol):
    """What reads and writes the pages, as `bot.writing.interface_gate` does."""

    def look(self, titles: Collection[str]) -> Mapping[str, Standing]:
        """Return pages as they stand, by title."""
        ...

    def write(self, title: str, text: str, summary: str, *, base: int) -> Outcome:
        """Write a page whole, if its newest revision still is `base`."""
        ...


@dataclass(frozen=True, slots=True)
class Deployed:
    """What became of a plan; `why` is empty if all of it was done."""

    written: tuple[str, ...]
    left: tuple[str, ...]
    why: str = ""
    retry_in_s: float | None = None  # where trying again may help

    def require_done(self) -> None:
        """Raise for what failed, with what was and was not written.

        Raises:
            PermanentError: trying again is of no use.
            TemporaryError: it may be.
        """
        if not self.why:
            return
        said = (
            f"{self.why}\nwritten: {', '.join(self.written) or 'nothing'}"
            f"\nnot written: {', '.join(self.left)}"
            "\nrun the same command again to go on"
        )
        if self.retry_in_s is None:
            raise PermanentError(said)
        raise TemporaryError(said, retry_in_s=self.retry_in_s)


def carry_out(gate: Gate, steps: Iterable[Step], tell: Tell) -> Deployed:
    """Write what differs, and look afterwards whether it stands there.

    Args:
        gate: to the wiki.
        steps: as planned; those of `Change.THEIRS` are written, too, so ask before.
        tell: is called before each write.
    """
    todo = [step for step in steps if step.change is not Change.NONE]
    written: list[str] = []
    for step in todo:
        tell(step)
        why, retry_in_s = _written(gate, step)
        if why:
            left = tuple(each.title for each in todo[len(written) :])
            return Deployed(tuple(written), left, f"{step.title}: {why}", retry_in_s)
        written.append(step.title)
    return _checked(gate, todo)


def _written(gate: Gate, step: Step) -> tuple[str, float | None]:
    """Return why a page could not be written, and when it may be; "" if it was."""
    try:
        done = gate.write(
            step.title, step.after, summary_of(step.after), base=step.base
        )
    except TemporaryError as error:
        return str(error), error.retry_in_s or 0.0
    except PermanentError as error:
        return str(error), None
    if isinstance(done, Posted):
        return "", None
    why = getattr(done, "why", "the wiki does not say what it did")
    return why, done.retry_in_s if isinstance(done, NotNow) else None


def _checked(gate: Gate, done: list[Step]) -> Deployed:
    """Look once more: a wiki joins edits that come at the same moment."""
    titles = tuple(step.title for step in done)
    if not titles:
        return Deployed((), ())
    now = gate.look(titles)
    other = tuple(
        step.title
        for step in done
        if (now[step.title].text or "").rstrip() != step.after.rstrip()
    )
    why = "the wiki holds another text than was written" if other else ""
    return Deployed(tuple(each for each in titles if each not in other), other, why)
