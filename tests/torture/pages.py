"""The pages that are edited, and the checker that always finds the same of them."""

import asyncio
from dataclasses import dataclass
from typing import Protocol

from handlers.model import Source, SourceFetch
from tests import builders
from tests.fakes import FakeSources

_SOURCE = "https://example.org/{title}/{number}"


def titles_of(process: int) -> tuple[str, ...]:
    """Return the pages that are edited by a process."""
    return tuple(f"Clock {process}{letter}" for letter in "abcd")


def text_of(title: str, revision_id: int) -> str:
    """Return a page: one sentence of it stays, two are others in each revision."""
    sentences = (
        f"{title} stands at the quay.",
        f"It was wound {revision_id} times.",
        f"The keeper of {title} climbed {revision_id} stairs.",
    )
    return "\n\n".join(
        f"{sentence}<ref>{{{{cite web|title=Clocks|url="
        f"{_SOURCE.format(title=title.replace(' ', '_'), number=number)}}}}}</ref>"
        for number, sentence in enumerate(sentences)
    )


class AnySource(FakeSources):
    """Holds the same text for whatever a page cites."""

    def __init__(self) -> None:
        super().__init__(())

    async def read(self, source: Source) -> SourceFetch:
        await asyncio.sleep(0)
        return builders.fetch(source)


class Numbers(Protocol):
    """A list of numbers that processes may share."""

    def __len__(self) -> int: ...

    def __getitem__(self, at: int, /) -> int: ...

    def __setitem__(self, at: int, number: int, /) -> None: ...


@dataclass(frozen=True, slots=True)
class Revisions:
    """The newest revision of each page; `numbers` counts their edits."""

    titles: tuple[str, ...]
    numbers: Numbers

    def of(self, title: str) -> int:
        """Return the newest revision of a page; no other page has the same number."""
        at = self.titles.index(title)
        return self.numbers[at] * len(self.titles) + at + 1

    def next(self, title: str) -> int:
        """Make a revision; of each page, one process does so."""
        self.numbers[self.titles.index(title)] += 1
        return self.of(title)

    def edited(self) -> tuple[str, ...]:
        """Return the pages that have more than their first revision."""
        return tuple(t for at, t in enumerate(self.titles) if self.numbers[at])
