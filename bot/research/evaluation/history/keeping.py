"""Keeps what a study has done, page by page and period by period, over a kill."""

import hashlib
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from bot.research.evaluation.discovery.results import EventResult
from bot.research.evaluation.history.periods import Period, StudiedPage, Study
from bot.research.evaluation.history.reading import PageHistory
from bot.sources.files import replacing, unwritten

_T = TypeVar("_T")
_HISTORY = TypeAdapter(PageHistory)
_RESULT = TypeAdapter(EventResult)

ReadHistory = Callable[[StudiedPage, Period], Awaitable[PageHistory]]
Examine = Callable[[StudiedPage, Period, PageHistory], Awaitable[EventResult]]


class Shelf:
    """Gives what is in a folder, and else has it made and puts it there.

    Raises:
        PermanentError: the folder cannot be written to; so do all that write.
        TemporaryError: the disk is full.
    """

    def __init__(self, folder: Path, study: Study) -> None:
        self._folder = folder
        self._study = study

    async def history(self, page: StudiedPage, read: ReadHistory) -> PageHistory:
        """Return what people did to a page in the time of the study."""
        place = self._place(page, self._study.whole, "history")
        known = _kept(place, _HISTORY)
        if known is None:
            known = await read(page, self._study.whole)
            _keep(place, _HISTORY, known)
        return known

    async def result(
        self,
        page: StudiedPage,
        period: Period,
        history: PageHistory,
        examine: Examine,
    ) -> EventResult:
        """Return what discovery gave on a page in a period."""
        place = self._place(page, period, "result")
        known = _kept(place, _RESULT)
        if known is None:
            known = await examine(page, period, history)
            _keep(place, _RESULT, known)
        return known

    def _place(self, page: StudiedPage, period: Period, what: str) -> Path:
        of = f"{self._study.wiki}\n{page.title}\n{page.category}\n{self._study.whole}"
        digest = hashlib.sha256(of.encode()).hexdigest()[:24]
        return self._folder / f"{digest}.{period.since}.{period.until}.{what}.json"


def _kept(place: Path, form: TypeAdapter[_T]) -> _T | None:
    try:
        return form.validate_json(place.read_bytes())
    except (OSError, ValidationError):
        return None


def _keep(place: Path, form: TypeAdapter[_T], value: _T) -> None:
    try:
        with replacing(place, form.dump_json(value).decode()):
            pass
    except OSError as error:
        raise unwritten(f"what was done, in {place.parent},", error) from error
