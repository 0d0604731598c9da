"""Drafts what people asked for with `drafts=` in their opt-in, one topic after the other.

It is a role of its own, beside the workers, as a draft takes minutes. Each draft is
leased, so that several processes share them and one that failed rests; what came of it
is kept before anything is written to the wiki, which the planner and the gate do.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol

import structlog

from bot.records.dossiers import DraftRules, DraftTurn, KeptDraft
from bot.records.rounds import Looking, rounds
from bot.records.tasks import LeaseLost
from bot.records.watches import Policy
from bot.report.dossier_wikitext import Setting, addresses, dossier, templates
from bot.store import Store
from bot.surfaces.planning.communities import in_force
from bot.surfaces.planning.drafts import IN_THE_WAY
from bot.wiki.pages import PageText
from handlers.citations.flags import language_of
from handlers.drafts.roles import NothingToDraftError
from handlers.model import Draft, Topic
from handlers.ports import PermanentError, TemporaryError

_DAY_S = 86_400.0
_LEAST_REST_S = 900.0
_LONGER = 16  # times, after each try: no draft is lost to searches down overnight
_MOST_TROUBLES = 20  # that are told of one draft
_NO_SENTENCE = "no sentence about it was found in {count} documents that could be read"


class Reader(Protocol):
    """Reads one wiki, as `bot.wiki.lists.WikiLists` does."""

    async def text_of(
        self, title: str, revision_id: int | None = None
    ) -> PageText | None:
        """Return a page; `None` if it is missing or hidden."""
        ...

    async def texts_of(self, titles: Iterable[str]) -> Mapping[str, PageText]:
        """Return pages by the titles asked for, without those missing."""
        ...

    async def refused_addresses(self, urls: Iterable[str]) -> frozenset[str]:
        """Return those of `urls` that the wiki's spam blacklist lists."""
        ...


class Drafts(Protocol):
    """Makes drafts, as `bot.daemon.draft.Drafter` does."""

    async def draft(self, topic: Topic) -> Draft:
        """Return a draft.

        Raises:
            PermanentError: nothing can be drafted; the message tells a person why.
            TemporaryError: documents are out of reach now.
        """
        ...


@dataclass(frozen=True, slots=True)
class DraftingRules:
    """How long one draft may take, and how drafts are taken up."""

    time_s: float = 900.0
    per_user: int = 5

    @property
    def taking(self) -> DraftRules:
        """How drafts are taken up."""
        return DraftRules(turn_s=self.rest_s, per_user=self.per_user)

    @property
    def rest_s(self) -> float:
        """How long a draft is left to who took it, and rests after a failure."""
        return max(_LEAST_REST_S, 2 * self.time_s)


@dataclass(frozen=True, slots=True)
class Drafting:
    """Makes one draft after the other, the one that waits longest first.

    `wiki` gives the reader of a wiki by its host name, `drafter` opens what makes what
    was asked for under a policy. `bot` is the account's name, `language` that of a wiki whose
    host tells none, and `model` names the language model that is asked, if any.
    """

    store: Store
    wiki: Callable[[str], Reader]
    drafter: Callable[[KeptDraft, Policy], AbstractAsyncContextManager[Drafts]]
    now: Callable[[], datetime]
    bot: str
    rules: DraftingRules = DraftingRules()
    language: str = "en"
    model: str = ""

    async def run(self, stop: asyncio.Event, *, idle_s: float = 60.0) -> None:
        """Work until `stop` is set; the draft in work is finished first.

        Raises:
            PermanentError: the store cannot be used; somebody has to act.
        """
        await rounds(stop, Looking(self.work_once, idle_s))

    async def work_once(self) -> bool:
        """Make the draft that is due first; `False` if none is.

        Raises:
            TemporaryError: the store is away.
            PermanentError: the store cannot be used.
        """
        drafts = self.store.drafts
        turn = await asyncio.to_thread(drafts.begin, self.now(), self.rules.taking)
        if turn is None:
            return False
        with structlog.contextvars.bound_contextvars(
            wiki=turn.draft.wiki, topic=turn.draft.topic
        ):
            try:
                await self._worked(turn)
            except LeaseLost:
                structlog.get_logger().info("draft dropped, or taken up by another")
            except asyncio.CancelledError:
                with suppress(TemporaryError, PermanentError):
                    await asyncio.to_thread(drafts.release, turn, self.now())
                raise
        return True

    async def _worked(self, turn: DraftTurn) -> None:
        """Make a draft and keep what came of it; see to what goes wrong with it."""
        try:
            async with asyncio.timeout(self.rules.time_s):
                made = await self._made(turn)
        except TemporaryError as error:
            await self._rest(turn, str(error), error.retry_in_s)
        except TimeoutError:
            why = f"it took longer than {self.rules.time_s:.0f} s"
            await self._rest(turn, why, 0.0)
        except PermanentError as error:  # of wiki or settings: somebody has to act
            await self._rest(turn, str(error), _DAY_S)
        except Exception as error:  # noqa: BLE001 - no draft may stop the others
            structlog.get_logger().exception("fault while drafting")
            await self._rest(turn, type(error).__name__, _DAY_S)
        else:
            await asyncio.to_thread(self._keep, turn, made)

    async def _made(self, turn: DraftTurn) -> "_Made | _Nothing":
        """Return a draft with its page.

        Raises:
            PermanentError: the wiki will not answer, or what drafts cannot be opened.
            TemporaryError: something is out of reach.
        """
        asked = turn.draft
        reader = self.wiki(asked.wiki)
        if await reader.text_of(asked.page) is not None:
            return _Nothing(IN_THE_WAY)
        decided_at = self.now()
        kept = await asyncio.to_thread(self.store.communities.get, asked.wiki)
        policy = in_force(kept).policy
        topic = Topic(asked.topic, language_of(asked.wiki) or self.language)
        async with self.drafter(asked, policy) as drafter:
            try:
                draft = await drafter.draft(topic)
            except NothingToDraftError as error:
                return _Nothing(error.why)  # who asks on a wiki cannot name documents
            except PermanentError as error:
                return _Nothing(str(error))
        for trouble in draft.troubles[:_MOST_TROUBLES]:
            structlog.get_logger().warning("trouble on a draft", why=trouble)
        if not draft.sentences:
            return _Nothing(_NO_SENTENCE.format(count=len(draft.documents)))
        setting = Setting(
            policy=policy, wiki=asked.wiki, bot=self.bot, as_of=self.now()
        )
        # What a service had to say to us is the operator's to read, not the public's.
        page = await _page(replace(draft, troubles=()), setting, reader)
        return _Made(draft, page, decided_at)

    def _keep(self, turn: DraftTurn, made: "_Made | _Nothing") -> None:
        now, drafts, log = self.now(), self.store.drafts, structlog.get_logger()
        if isinstance(made, _Nothing):
            log.info("nothing drafted", why=made.why)
            drafts.nothing(turn, made.why, now)
            return
        # As of when the community was heard: what it decided since then counts more.
        use, at = made.draft.use, made.decided_at
        drafts.save(turn, made.page, at, model=self.model, use=use)
        sentences = len(made.draft.sentences)
        log.info("drafted", sentences=sentences, chars=len(made.page))

    async def _rest(self, turn: DraftTurn, why: str, asked_s: float) -> None:
        longer = _LONGER ** (turn.tries - 1)
        in_s = max(asked_s, min(self.rules.rest_s * longer, _DAY_S))
        structlog.get_logger().warning("draft later", why=why, in_s=round(in_s))
        await asyncio.to_thread(self.store.drafts.retry, turn, self.now(), in_s)


@dataclass(frozen=True, slots=True)
class _Made:
    """A draft with its page, written under what the community said at `decided_at`."""

    draft: Draft
    page: str
    decided_at: datetime


@dataclass(frozen=True, slots=True)
class _Nothing:
    """That there is no draft; `why` is told to the person."""

    why: str


async def _page(draft: Draft, setting: Setting, reader: Reader) -> str:
    """Return the page without links that the wiki refuses, or templates that it lacks."""
    linked = addresses(draft)
    refused = await reader.refused_addresses(linked) if linked else frozenset()
    allowed = replace(setting, refused=refused)
    named = {f"Template:{each}": each for each in templates(draft, allowed)}
    there = await reader.texts_of(named) if named else {}
    missing = frozenset(name for title, name in named.items() if title not in there)
    return dossier(draft, replace(allowed, missing=missing))
