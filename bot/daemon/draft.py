"""Turns a topic into a draft: gathers and filters documents, and makes a dossier.

The use case behind `sidenote draft` and the daemon's handler of drafts. It depends on
no library and no file path; it is given its cast, its searches and a reader of
documents.
"""

from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeAlias

import structlog

from handlers.drafts.dossier import Cast, draft
from handlers.drafts.gather import Gathered, Reach, from_readings, gather
from handlers.drafts.roles import NothingToDraftError, Rules
from handlers.model import Draft, LeftOut, SourceFetch, Topic
from handlers.ports import TemporaryError

_MOST_REASONS = 3

Beside: TypeAlias = Callable[
    [Callable[[], Coroutine[Any, Any, Draft]]], Awaitable[Draft]
]
"""Runs the making of a draft, which computes for seconds to minutes."""


async def here(work: Callable[[], Coroutine[Any, Any, Draft]]) -> Draft:
    """Run it in the calling loop, which does nothing else meanwhile."""
    return await work()


class Documents(Protocol):
    """Documents that someone collected."""

    async def fetches(self, most: int) -> tuple[tuple[SourceFetch, ...], bool]:
        """Return the results for the first `most`, and whether there are more."""
        ...


@dataclass(frozen=True, slots=True)
class Drafter:
    """Makes drafts with one cast, from `documents`, or from searches if there are none.

    Documents are gathered in the caller's loop; `beside` says where the rest is done.
    """

    cast: Cast
    reach: Reach
    documents: Documents | None = None
    rules: Rules = field(default_factory=Rules)
    beside: Beside = here

    async def draft(self, topic: Topic) -> Draft:
        """Return a draft on `topic`.

        Raises:
            PermanentError: there are no documents on it, or none can be used; the
                message says why.
            TemporaryError: nothing was found, and a search was unavailable.
        """
        gathered = await self._gathered(topic)
        if not gathered.documents:
            raise _nothing(topic, gathered, self.reach)
        made = await self.beside(
            lambda: draft(
                topic,
                gathered.documents,
                self.cast,
                self.rules,
                left_out=gathered.left_out,
            )
        )
        made = replace(made, troubles=(*gathered.troubles, *made.troubles))
        _log(made)
        return made

    async def _gathered(self, topic: Topic) -> Gathered:
        reach = self.reach
        if self.documents is None:
            return await gather(topic, reach)
        most = reach.policy.documents
        fetches, has_more = await self.documents.fetches(most)
        gathered = from_readings(fetches, reach.wiki, reach.lists)
        if not has_more:
            return gathered
        message = f"only the first {most} documents were read"
        return replace(gathered, troubles=(*gathered.troubles, message))


def _nothing(topic: Topic, gathered: Gathered, reach: Reach) -> Exception:
    """Return what to tell the user if there is not a single document to read."""
    if gathered.left_out:
        return NothingToDraftError(
            f"none of the {len(gathered.left_out)} documents on “{topic.title}” can be"
            f" used ({_reasons(gathered.left_out)})",
            "name other documents, or widen the search",
        )
    troubles = "; ".join(gathered.troubles)
    if gathered.retry_in_s is not None:
        return TemporaryError(
            f"no documents on “{topic.title}” were found: {troubles}",
            retry_in_s=gathered.retry_in_s,
        )
    names = ", ".join(one.name for one in reach.searches)
    asked = f" by {names}" if names else ""
    why = f" ({troubles})" if troubles else ""
    return NothingToDraftError(
        f"no documents on “{topic.title}” were found{asked}{why}",
        "use the name that sources use, or name documents",
    )


def _reasons(left_out: Sequence[LeftOut]) -> str:
    fields: dict[str, int] = {}
    for one in left_out:
        why = f"{one.why.value}: {one.detail}" if one.detail else one.why.value
        fields[why] = fields.get(why, 0) + 1
    most = sorted(fields, key=lambda why: -fields[why])
    shown = [f"{why} ({fields[why]})" for why in most[:_MOST_REASONS]]
    return "; ".join([*shown, "…"] if len(most) > _MOST_REASONS else shown)


def _log(made: Draft) -> None:
    structlog.get_logger().info(
        "draft made",
        topic=made.topic.title,
        language=made.topic.language,
        method=made.method.value,
        documents=len(made.documents),
        left_out=len(made.left_out),
        sections=len(made.sections),
        sentences=len(made.sentences),
        disagreements=len(made.disagreements),
        troubles=len(made.troubles),
    )
