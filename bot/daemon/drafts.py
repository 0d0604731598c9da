"""Turns topics into drafts, for `drafts=` in an opt-in.

The task is a separate role from the workers, because a draft takes minutes. The result
is stored before anything is written to the wiki, which the planner and the gate do.
"""

import asyncio
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from datetime import datetime
from random import random

import structlog

from bot.daemon.drafter import Drafter
from bot.daemon.runner import Runner
from bot.records.dossiers import StoredDraft
from bot.records.tasks import BackOff, Lease, TaskKind, Work
from bot.records.watches import NoteKind, Policy
from bot.store import Store
from bot.surfaces.dossier_page import (
    Setting,
    addresses,
    dossier,
    templates,
    why_left,
)
from bot.surfaces.messages import message, to_note
from bot.surfaces.opt_in.community import in_force
from bot.surfaces.opt_in.refusal import Refusals
from bot.surfaces.planning.drafts import IN_THE_WAY
from bot.surfaces.planning.posts import Reader
from handlers.citations.flags import language_of
from handlers.drafts.roles import NothingToDraftError
from handlers.model import Draft, Message, Topic
from handlers.ports import PermanentError, TemporaryError

_DAY_S = 86_400.0
_LEAST_REST_S = 900.0
_LONGER = 16  # times, after each try: no draft is lost when searches are down overnight
_MOST_TROUBLES = 20  # that are reported for one draft


@dataclass(frozen=True, slots=True)
class Drafting:
    """Makes one draft at a time, the one that has waited longest first.

    `wiki` gives the reader of a wiki by its host name; `drafter` opens the drafter for
    a policy. `bot` is the account's name, `language` the default for a wiki whose host
    name does not show its language, and `model` names the language model in use, if
    any.
    """

    store: Store
    wiki: Callable[[str], Reader]
    drafter: Callable[[StoredDraft, Policy], AbstractAsyncContextManager[Drafter]]
    now: Callable[[], datetime]
    bot: str
    time_s: float = 900.0
    language: str = "en"
    model: str = ""
    name: str = "drafts"
    draw: Callable[[], float] = random

    @property
    def rest_s(self) -> float:
        """How long a draft waits after its first failure."""
        return max(_LEAST_REST_S, 2 * self.time_s)

    @property
    def runner(self) -> Runner:
        """The queue of drafts, the one that has waited longest first."""
        rests = BackOff(self.rest_s, _DAY_S, _LONGER)
        work = Work(self._draft, rests, hopeless_s=_DAY_S, fault_s=_DAY_S)
        store = self.store.tasks
        return Runner(self.name, store, {TaskKind.DRAFT: work}, self.now, self.draw)

    async def _draft(self, held: Lease[StoredDraft]) -> None:
        """Make a draft and store the result."""
        try:
            async with asyncio.timeout(self.time_s):
                made = await self._made(held.task)
        except TimeoutError:
            why = f"it took longer than {self.time_s:.0f} s"
            raise TemporaryError(why, retry_in_s=0.0) from None
        await asyncio.to_thread(self._save, held, made)

    async def _made(self, order: StoredDraft) -> "_Made | _Nothing":
        """Return a draft with its page.

        Raises:
            PermanentError: the wiki will not answer, or the drafter cannot be opened.
            TemporaryError: something is unavailable.
        """
        refusals, named = Refusals(self.store, self.now), (order.wiki, order.topic)
        kinds = await asyncio.to_thread(refusals.of, *named, order.watcher)
        if NoteKind.DRAFTS in kinds:
            return _Nothing(message("draft-refused"))
        reader = self.wiki(order.wiki)
        if await reader.text_of(order.page) is not None:
            return _Nothing(Message("", IN_THE_WAY))
        decided_at = self.now()
        community = await asyncio.to_thread(self.store.communities.get, order.wiki)
        policy = in_force(community).policy
        topic = Topic(order.topic, language_of(order.wiki) or self.language)
        async with self.drafter(order, policy) as drafter:
            try:
                draft = await drafter.draft(topic)
            except NothingToDraftError as error:
                return _Nothing(_why(error))
            except PermanentError as error:
                return _Nothing(Message("", str(error)))
        for trouble in draft.troubles[:_MOST_TROUBLES]:
            structlog.get_logger().warning("trouble on a draft", why=trouble)
        if not draft.sentences:
            return _Nothing(message("draft-no-sentence", len(draft.documents)))
        setting = Setting(
            policy=policy, wiki=order.wiki, bot=self.bot, as_of=self.now()
        )
        # What a service told us is for the operator to read, not the public.
        page = await _page(replace(draft, troubles=()), setting, reader)
        return _Made(draft, page, decided_at)

    def _save(self, held: Lease[StoredDraft], made: "_Made | _Nothing") -> None:
        now, drafts, log = self.now(), self.store.drafts, structlog.get_logger()
        if isinstance(made, _Nothing):
            log.info("nothing drafted", why=str(made.why))
            note = to_note(made.why) if made.why.key else str(made.why)
            drafts.nothing(held, note, now)
            return
        # Dated when the community's policy was read: what it decided since then takes
        # precedence.
        use, at = made.draft.use, made.decided_at
        drafts.save(held, made.page, at, model=self.model, use=use)
        sentences = len(made.draft.sentences)
        log.info("drafted", sentences=sentences, chars=len(made.page))


@dataclass(frozen=True, slots=True)
class _Made:
    """A draft with its page, under the community's policy as of `decided_at`."""

    draft: Draft
    page: str
    decided_at: datetime


@dataclass(frozen=True, slots=True)
class _Nothing:
    """There is no draft; `why` is shown to the person who asked."""

    why: Message


def _why(error: NothingToDraftError) -> Message:
    """Return why nothing was drafted, for people who cannot name documents."""
    if not error.left_out:
        return message("draft-no-documents")
    [(cause, _)] = Counter(one.why for one in error.left_out).most_common(1)
    return message("draft-none-usable", len(error.left_out), why_left(cause))


async def _page(draft: Draft, setting: Setting, reader: Reader) -> str:
    """Return the page without links the wiki rejects or templates it lacks."""
    linked = addresses(draft)
    refused = await reader.refused_addresses(linked) if linked else frozenset()
    allowed = replace(setting, refused=refused)
    named = {f"Template:{each}": each for each in templates(draft, allowed)}
    there = await reader.texts_of(named) if named else {}
    missing = frozenset(name for title, name in named.items() if title not in there)
    return dossier(draft, replace(allowed, missing=missing))
