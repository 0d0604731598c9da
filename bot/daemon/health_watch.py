"""Checks every minute that the program works, and tells the operator when that changes.

It asks the wikis what the database cannot know: whether somebody stopped a task, and
whether the account is blocked, even while there is nothing to post. Any running process
can do it, one at a time, so that one that died is noticed by the others.

Alerts go by mail or webhook. Both are kept simple: a mail server that needs no login,
such as Toolforge's, and one POST of JSON, whose `text` chat services show. An alert
holds what `/healthz` says and none of a page's text.
"""

import asyncio
import smtplib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from typing import Any

import aiohttp
import structlog

from bot.daemon.status.reasons import health_problems, last_of_wikis
from bot.daemon.status.situation import Situation
from bot.records.heartbeat import (
    HealthChange,
    HealthProblem,
    HealthProblemKind,
    Incident,
)
from bot.report.words import clean, moment
from bot.store import Store
from bot.surfaces.planning.posts import Reader
from bot.surfaces.post_summaries import Task, stop_page
from bot.writing.preflight import GO
from handlers.ports import PermanentError, TemporaryError

_TIMEOUT_S = 20.0
_AGAIN_S = 60.0
_SUBJECT_CHARS = 200
_GOOD = range(200, 300)


@dataclass(frozen=True, slots=True)
class Alert:
    """What changed, for people."""

    bot: str
    change: HealthChange

    @property
    def subject(self) -> str:
        """A line with the most important change."""
        begun, ended = self.change.begun, self.change.ended
        first = (begun or ended)[0].problem
        more = len(begun) - 1 if begun else len(ended) - 1
        state = "unwell" if begun else "well again"
        others = f" and {more} more" if more else ""
        who = self.bot or "Sidenote"
        return clean(f"{who} is {state}: {first.what}{others}")[:_SUBJECT_CHARS]

    @property
    def text(self) -> str:
        """All changes, one per line."""
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        for one in self.change.begun:
            yield f"Wrong since {moment(one.since)}: {_what(one)}."
            yield f"  {clean(one.problem.remedy)}"
        for one in self.change.ended:
            ended = moment(one.ended_at) if one.ended_at else ""
            yield f"Well again since {ended}: {_what(one)}."


def _what(one: Incident) -> str:
    where = f" ({one.problem.subject})" if one.problem.subject else ""
    return clean(f"{one.problem.what}{where}")


@dataclass(frozen=True, slots=True)
class Mail:
    """Mails the operator, from their own address, through a server without login."""

    server: str  # host, or host:port
    address: str

    async def send(self, alert: Alert) -> None:
        """Send the alert.

        Raises:
            TemporaryError: it could not be sent now; the message says why.
        """
        try:
            await asyncio.to_thread(self._send, self._message(alert))
        except (OSError, smtplib.SMTPException) as error:
            raise TemporaryError(
                f"{self.server} took no mail ({error})", retry_in_s=_AGAIN_S
            ) from error

    def _message(self, alert: Alert) -> EmailMessage:
        made = EmailMessage()
        made["From"], made["To"] = self.address, self.address
        made["Subject"] = alert.subject
        made["Date"], made["Message-ID"] = formatdate(), make_msgid(domain="sidenote")
        made["Auto-Submitted"] = "auto-generated"
        made.set_content(f"{alert.text}\n")
        return made

    def _send(self, message: EmailMessage) -> None:
        with smtplib.SMTP(self.server, timeout=_TIMEOUT_S) as server:
            server.send_message(message)


@dataclass(frozen=True, slots=True)
class Webhook:
    """Posts JSON to an address, which may hold a key and so is never shown."""

    address: str

    async def send(self, alert: Alert) -> None:
        """Send the alert; like `Mail.send`."""
        timeout = aiohttp.ClientTimeout(total=_TIMEOUT_S)
        body = {
            "text": f"{alert.subject}\n{alert.text}",
            "begun": [_as_json(one) for one in alert.change.begun],
            "ended": [_as_json(one) for one in alert.change.ended],
        }
        try:
            async with (
                aiohttp.ClientSession(timeout=timeout) as session,
                session.post(self.address, json=body, allow_redirects=False) as answer,
            ):
                status = answer.status
        except (aiohttp.ClientError, OSError) as error:
            raise TemporaryError(
                f"the webhook cannot be reached ({type(error).__name__})",
                retry_in_s=_AGAIN_S,
            ) from None
        if status not in _GOOD:
            why = f"the webhook answered {status}"
            raise TemporaryError(why, retry_in_s=_AGAIN_S)


def _as_json(one: Incident) -> dict[str, Any]:
    problem = one.problem
    return {
        "kind": problem.kind.value,
        "subject": problem.subject,
        "what": problem.what,
        "remedy": problem.remedy,
        "since": one.since.isoformat(),
        "ended_at": one.ended_at and one.ended_at.isoformat(),
    }


EVERY_S = 60.0
_STOPPABLE = [task for task in Task if task is not Task.DRY_RUN]


@dataclass(frozen=True, slots=True)
class HealthWatch:
    """Checks, stores what is wrong, and reports what changed.

    `read_situation` returns the situation, and blocks; `reader` gives the reader of a
    wiki by its host.
    """

    store: Store
    read_situation: Callable[[], Situation]
    wikis: Sequence[str]
    reader: Callable[[str], Reader]
    channels: Sequence[Mail | Webhook]
    now: Callable[[], datetime]

    async def __call__(self) -> None:
        """Check once.

        Raises:
            TemporaryError: the store is unavailable, or nobody could be told; the next
                check tries again.
            PermanentError: the store cannot be used.
        """
        situation = await asyncio.to_thread(self.read_situation)
        wrong = health_problems(situation, await self._on_wikis(situation))
        change = await asyncio.to_thread(self.store.health.keep, wrong, self.now())
        if not change.begun and not change.ended:
            return
        log = structlog.get_logger()
        for one in change.begun:
            log.warning("unwell", kind=one.problem.kind.value, why=one.problem.what)
        for one in change.ended:
            log.info("well again", kind=one.problem.kind.value, why=one.problem.what)
        await self._notify(Alert(situation.configured.account, change))
        await asyncio.to_thread(self.store.health.notified, change, self.now())

    async def _notify(self, alert: Alert) -> None:
        """Send it on every channel; one that takes it is enough, or having none."""
        failed: list[TemporaryError] = []
        for channel in self.channels:
            try:
                await channel.send(alert)
            except TemporaryError as error:
                structlog.get_logger().warning("alert not sent", why=str(error))
                failed.append(error)
        if failed and len(failed) == len(self.channels):
            raise failed[0]

    async def _on_wikis(self, situation: Situation) -> tuple[HealthProblem, ...]:
        if not situation.configured.is_live:
            return ()
        found: list[HealthProblem] = []
        for wiki in self.wikis:
            try:
                found += await self._on_wiki(wiki, situation.configured.account)
            except (PermanentError, TemporaryError) as error:
                structlog.get_logger().info("wiki not asked", wiki=wiki, why=str(error))
                last = last_of_wikis(situation)
                found += [one for one in last if one.subject == wiki]
        return tuple(found)

    async def _on_wiki(self, wiki: str, bot: str) -> list[HealthProblem]:
        reader, found = self.reader(wiki), []
        texts = await reader.texts_of(stop_page(bot, task) for task in _STOPPABLE)
        # If the stop page was never created, the task was never allowed to run.
        stopped = [title for title, page in texts.items() if page.text != GO]
        if stopped:
            found.append(
                HealthProblem(
                    HealthProblemKind.STOPPED,
                    f"stopped on {wiki}: {', '.join(sorted(stopped))}",
                    "See on the page who stopped it and why. To let the task write"
                    " again, save the page with just the word “run”.",
                    wiki,
                )
            )
        account = await reader.user(bot)
        if account is not None and account.is_blocked:
            found.append(
                HealthProblem(
                    HealthProblemKind.BLOCKED,
                    f"the account {bot} is blocked on {wiki}",
                    "Read the reason on the wiki, and resolve it with the community.",
                    wiki,
                )
            )
        return found
