"""Progress on stderr: a live bar in a terminal, occasional lines elsewhere."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Self

import click
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)
from rich.progress import Progress as RichProgress

from bot.report import expectation_line
from bot.report.words import counted
from bot.settings import Settings
from handlers.model import ClaimCheck, ModelUse

_MILLION = 1_000_000
_LINES = 4  # lines for each page without a terminal


class TerminalProgress:
    """Counts claims of `bot.daemon.check` and steps of `bot.research.evaluation`.

    It fulfils `bot.daemon.progress.Progress`, and is a context manager.
    """

    def __init__(self, what: str, *, asks: bool = False) -> None:
        """Start without a count.

        Args:
            what: what is counted, such as “Pages”.
            asks: whether to ask for confirmation before a model costs money; only once,
                and only in a terminal.
        """
        self._console = Console(stderr=True)
        self._what = what
        self._live = self._console.is_terminal
        self._asks = (
            asks and self._live and sys.stdin is not None and sys.stdin.isatty()
        )
        self._total = self._done = self._asked = 0
        self._bar = RichProgress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("[dim]{task.fields[place]}"),
            console=self._console,
            transient=True,
            disable=not self._live,
        )
        self._task = self._bar.add_task(what, total=None, place="")

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bar.stop()

    def started(self, claims: int, sources: int = 0) -> None:  # noqa: ARG002 - the port's signature
        """Start a count of `claims` steps; 0 if their number is unknown."""
        self._total, self._done, self._asked = claims, 0, 0
        self._bar.update(self._task, total=claims or None, completed=0)

    def reading(self, place: str) -> None:
        """Show what is being read."""
        self._bar.update(self._task, place=f"reading {place}"[:60])

    def show(self, words: str) -> None:
        """Show a few words beside the bar."""
        self._bar.update(self._task, place=words[:60])

    def read(self, place: str) -> None:
        """Show nothing: the next source is shown when its reading starts."""

    def checked(self, check: ClaimCheck) -> None:  # noqa: ARG002 - the port's signature
        """Count one claim."""
        self.advance()

    def asking(self, claims: int, expected: ModelUse) -> None:
        """Show what asking the language model will cost, before it is asked.

        Raises:
            click.Abort: the person declined.
        """
        self.write(expectation_line(claims, expected))
        if self._asks and expected.cost:
            self._asks = False
            self._bar.stop()
            click.confirm("Continue?", default=True, abort=True, err=True)
            self._bar.start()

    def asked(self, claims: int) -> None:
        """Show how many claims the language model was asked about."""
        self._asked += claims
        self._bar.update(
            self._task, place=f"asked the language model about {self._asked}"
        )

    def write(self, line: str) -> None:
        """Write a line above the bar."""
        self._console.print(line, markup=False, highlight=False, soft_wrap=True)

    def advance(self) -> None:
        """Count one step."""
        self._done += 1
        self._bar.update(self._task, completed=self._done)
        # If the total is unknown: 1, 2, … 9, 10, 20, … 90, 100, 200 …
        unknown = 10 ** (len(str(self._done)) - 1)
        step = max(1, self._total // _LINES) if self._total else unknown
        if not self._live and (self._done % step == 0 or self._done == self._total):
            whole = f" of {self._total}" if self._total else ""
            sys.stderr.write(f"{self._what}: {self._done}{whole}\n")


class Step:
    """Shows progress of some work, during which a language model may be asked."""

    def __init__(self, console: Console, bar: RichProgress | None) -> None:
        self._console = console
        self._bar = bar

    def asking(
        self,
        settings: Settings,
        expected: ModelUse,
        *,
        at_most: bool = False,
        asks: bool = False,
    ) -> None:
        """Say how many questions the language model in the settings will get, and the cost.

        Args:
            settings: give the model, its prices and its limits.
            expected: the estimate, without its cost.
            at_most: whether the run may well need fewer.
            asks: whether to ask for confirmation first, in a terminal and if it costs
                money.

        Raises:
            click.Abort: the person declined.
        """
        if not settings.language_model_address:
            return
        prices = (
            settings.language_model_input_price,
            settings.language_model_output_price,
        )
        tokens = (expected.input_tokens, expected.output_tokens)
        cost = sum(a * b for a, b in zip(prices, tokens, strict=True)) / _MILLION
        money = f", for about {cost:.2f}" if cost else ""
        line = (
            f"The language model {settings.language_model_name} will be asked"
            f" {'up to' if at_most else 'about'} {counted(expected.calls, 'time')}, with"
            f" about {tokens[0]:,} tokens in and {tokens[1]:,} out{money}. The limits are"
            f" {counted(settings.language_model_calls, 'call')} and"
            f" {settings.language_model_budget} (SIDENOTE_LANGUAGE_MODEL_CALLS, …_BUDGET)."
        )
        if self._bar is not None:
            self._bar.stop()
        self._console.print(line, markup=False, highlight=False, soft_wrap=True)
        is_seen = self._bar is not None and sys.stdin is not None and sys.stdin.isatty()
        if asks and cost and is_seen:
            click.confirm("Continue?", default=True, abort=True, err=True)
        if self._bar is not None:
            self._bar.start()


@contextmanager
def step(what: str) -> Iterator[Step]:
    """Show what is being done and for how long, if it cannot be counted."""
    console = Console(stderr=True)
    if not console.is_terminal:
        sys.stderr.write(f"{what} …\n")
        yield Step(console, None)
        return
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with RichProgress(*columns, console=console, transient=True) as bar:
        bar.add_task(what, total=None)
        yield Step(console, bar)


@dataclass(frozen=True, slots=True)
class QuietProgress:
    """A `bot.daemon.progress.Progress` that counts whole pages, not their claims."""

    progress: TerminalProgress

    def started(self, claims: int, sources: int) -> None:
        """Keep the count of pages."""

    def reading(self, place: str) -> None:
        """Show what is being read."""
        self.progress.reading(place)

    def read(self, place: str) -> None:
        """Show nothing: the next source is shown when its reading starts."""

    def checked(self, check: ClaimCheck) -> None:
        """Count nothing."""

    def asking(self, claims: int, expected: ModelUse) -> None:
        """Show how many claims go to the language model, and the cost."""
        self.progress.asking(claims, expected)

    def asked(self, claims: int) -> None:
        """Show that the language model has answered."""
        self.progress.asked(claims)
