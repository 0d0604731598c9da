"""Tells the operator, by mail or webhook, that something is wrong or works again.

Both are kept simple: a mail server that needs no login, such as Toolforge's, and one
POST of JSON, whose `text` chat services show. An alert holds what `/healthz` says and
none of a page's text.
"""

import asyncio
import smtplib
from collections.abc import Iterator
from dataclasses import dataclass
from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from typing import Any, Protocol

import aiohttp

from bot.records.heartbeat import HealthChange, Incident
from bot.report.words import clean, moment
from handlers.ports import TemporaryError

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
        said = "unwell" if begun else "well again"
        others = f" and {more} more" if more else ""
        who = self.bot or "Sidenote"
        return clean(f"{who} is {said}: {first.what}{others}")[:_SUBJECT_CHARS]

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


class Channel(Protocol):
    """A way to reach the operator."""

    async def send(self, alert: Alert) -> None:
        """Send the alert.

        Raises:
            TemporaryError: it could not be sent now; the message says why.
        """
        ...


@dataclass(frozen=True, slots=True)
class Mail:
    """Mails the operator, from their own address, through a server without login."""

    server: str  # host, or host:port
    address: str

    async def send(self, alert: Alert) -> None:
        """Send the alert; see `Channel`."""
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
        """Send the alert; see `Channel`."""
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
