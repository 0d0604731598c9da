"""Runs of update discovery, and criteria of sections, as verbs on values."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from pydantic import FiniteFloat, TypeAdapter, ValidationError
from sqlalchemy import Connection, delete, insert, select

from bot.store import discovering, sanitise
from bot.store.schema import NAME_CHARS
from bot.store.transactions import Transactions
from bot.store.update_tables import HASH_CHARS, kept_criteria
from bot.store.values import KeptDiscovery
from handlers.model import (
    Criteria,
    Discovery,
    Engine,
    PageId,
    SectionCriteria,
    Suggestion,
)

_MOST_SECTIONS = 500
_MOST_LINES = 50  # of what one section wants, or the terms of it
_LINE_CHARS = 1_000
_Texts = tuple[str, ...]
_ROWS = TypeAdapter(
    list[tuple[_Texts, _Texts, tuple[tuple[str, FiniteFloat], ...], bool]]
)


class Discoveries:
    """What was looked for, and found. Processes may share it."""

    def __init__(self, transactions: Transactions) -> None:
        self._database = transactions

    def save(
        self,
        run: Discovery,
        found: Sequence[Suggestion],
        searched_at: datetime,
        *,
        model: str = "",
    ) -> bool:
        """Save a run with what it found, or nothing of it.

        What an earlier run found keeps its identity if it is found again, and is closed
        if it is over; see `bot.store.discovering`.

        Args:
            run: over one page.
            found: its updates as suggestions.
            searched_at: when it ended; one page has one run at a time.
            model: the language model that was asked, if one was.

        Returns:
            `False` if this run was saved before; then nothing changes.
        """
        return self._database.write(
            lambda made: discovering.save_discovery(
                made, run, found, searched_at, model
            )
        )

    def last(self, wiki: str, title: str) -> KeptDiscovery | None:
        """Return the last run over a page."""
        return self._database.read(lambda made: discovering.last(made, wiki, title))

    def searched(self, wiki: str, titles: Sequence[str]) -> dict[str, datetime]:
        """Return when each of some pages was last searched for; not those never."""
        return self._database.read(
            lambda made: discovering.searched(made, wiki, titles)
        )


class KeptCriteria:
    """What belongs into the sections of articles. Processes may share it."""

    def __init__(self, transactions: Transactions) -> None:
        self._database = transactions

    def get(self, page: PageId, outline_sha256: str) -> Criteria | None:
        """Return the criteria of an article with this outline, if they are kept."""
        return self._database.read(lambda made: _get(made, page, outline_sha256))

    def put(self, page: PageId, criteria: Criteria, now: datetime) -> None:
        """Keep the criteria of an article, in the place of those of before."""
        self._database.write(lambda made: _put(made, page, criteria, now))


def _get(connection: Connection, page: PageId, outline_sha256: str) -> Criteria | None:
    named = {"wiki": page.wiki, "title": page.title, "outline_sha256": outline_sha256}
    row = connection.execute(select(kept_criteria).filter_by(**named)).one_or_none()
    if row is None:
        return None
    try:
        rows = _ROWS.validate_json(row.criteria, strict=False)
    except ValidationError:
        return None  # another version wrote it, or nobody: they are made anew
    sections = tuple(SectionCriteria(*one) for one in rows)
    engine = Engine(row.engine_name, row.engine_version)
    return Criteria(sections, row.outline_sha256, engine)


def _put(
    connection: Connection, page: PageId, criteria: Criteria, now: datetime
) -> None:
    named = {
        "wiki": sanitise.key(page.wiki, "wiki"),
        "title": sanitise.key(page.title, "title"),
    }
    engine = criteria.engine
    connection.execute(delete(kept_criteria).filter_by(**named))
    connection.execute(
        insert(kept_criteria).values(
            **named,
            outline_sha256=sanitise.key(
                criteria.outline_sha256, "fingerprint of an outline", HASH_CHARS
            ),
            engine_name=sanitise.key(engine.name, "engine's name", NAME_CHARS),
            engine_version=sanitise.text(engine.version, NAME_CHARS),
            criteria=json.dumps(
                list(map(_row, criteria.sections[:_MOST_SECTIONS])), ensure_ascii=False
            ),
            kept_at=now,
        )
    )


def _row(one: SectionCriteria) -> list[Any]:
    return [
        [sanitise.text(heading, _LINE_CHARS) for heading in one.path],
        [sanitise.text(want, _LINE_CHARS) for want in one.wants[:_MOST_LINES]],
        [[sanitise.text(term, _LINE_CHARS), weight] for term, weight in one.terms],
        one.is_open,
    ]
