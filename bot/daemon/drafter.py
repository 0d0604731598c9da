"""Turns one topic into a draft: the use case behind `sidenote draft`.

Apart from the task that does it for `drafts=` in an opt-in, which needs a store.
"""

from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import structlog

from bot.search.index.collections import DocumentsFolder
from handlers.drafts.dossier import Cast, draft
from handlers.drafts.gather import Gathered, Reach, from_fetches, gather
from handlers.drafts.roles import NothingToDraftError, Rules, none_usable
from handlers.model import Draft, Topic
from handlers.ports import TemporaryError

RunIn: TypeAlias = Callable[
    [Callable[[], Coroutine[Any, Any, Draft]]], Awaitable[Draft]
]
"""Runs the making of a draft, which computes for seconds to minutes."""


async def in_this_loop(work: Callable[[], Coroutine[Any, Any, Draft]]) -> Draft:
    """Run it in the calling loop, which does nothing else meanwhile."""
    return await work()


@dataclass(frozen=True, slots=True)
class Drafter:
    """Makes drafts with one cast, from `documents`, or from searches if there are none.

    Documents are gathered in the caller's loop; `run_in` says where the rest is done.
    """

    cast: Cast
    reach: Reach
    documents: DocumentsFolder | None = None
    rules: Rules = field(default_factory=Rules)
    run_in: RunIn = in_this_loop

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
        made = await self.run_in(
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
        gathered = from_fetches(fetches, reach.wiki, reach.lists)
        if not has_more:
            return gathered
        message = f"only the first {most} documents were read"
        return replace(gathered, troubles=(*gathered.troubles, message))


def _nothing(topic: Topic, gathered: Gathered, reach: Reach) -> Exception:
    """Return what to tell the user if there is not a single document to read."""
    if gathered.left_out:
        return none_usable(topic, gathered.left_out)
    troubles = "; ".join(gathered.troubles)
    if gathered.retry_in_s is not None:
        return TemporaryError(
            f"no documents on “{topic.title}” were found: {troubles}",
            retry_in_s=gathered.retry_in_s,
        )
    names = ", ".join(one.name for one in reach.searches)
    by = f" by {names}" if names else ""
    why = f" ({troubles})" if troubles else ""
    return NothingToDraftError(
        f"no documents on “{topic.title}” were found{by}{why};"
        " use the name that sources use, or name documents"
    )


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
