"""Each wiki: whether it answers, its version, our User-Agent, its lag and its clock."""

from collections.abc import Iterator, Mapping
from email.utils import parsedate_to_datetime
from functools import partial
from typing import Any

from pydantic import BaseModel

from bot.app.doctor.values import (
    Group,
    Notes,
    Patient,
    State,
    Trial,
    ask,
    note_clock,
)
from bot.app.wiring.wiki import user_agent
from bot.search.services.client import Request
from bot.wiki.address import WikiAddress, parse_address
from bot.wiki.answers import Line, Reply
from bot.wiki.api import WikiApi
from handlers.ports import PermanentError, TemporaryError

_LIMIT_S = 20.0
_LEAST = (1, 35)
_BEHIND = ("answered maxlag", "is behind with its database")
_NAME = "Check SIDENOTE_WIKI and SIDENOTE_WIKIS."


class _General(BaseModel):
    sitename: Line = ""
    generator: Line = ""
    readonly: bool = False
    readonlyreason: Line = ""


class _Lag(BaseModel):
    lag: float = 0.0


class _Query(BaseModel):
    general: _General
    dbrepllag: list[_Lag] = []


class _Site(Reply):
    query: _Query | None = None


def wikis_of(patient: Patient) -> Mapping[str, str]:
    """Return the addresses of the wikis in the settings, by host."""
    named = (patient.settings.wiki, *patient.settings.wikis)
    return {parse_address(each).host: each for each in reversed(named)}


def trials(patient: Patient) -> tuple[Trial, ...]:
    """Return what is tried of each wiki."""
    return tuple(_of_each(patient))


def _of_each(patient: Patient) -> Iterator[Trial]:
    for host, given in wikis_of(patient).items():
        address = parse_address(given)
        reach = partial(_reach, patient, address)
        look = partial(_clock, patient, address)
        name, clock = f"{host}", f"{host}: clock"
        yield Trial(Group.WIKI, name, reach, _NAME, _LIMIT_S, is_remote=True)
        yield Trial(
            Group.WIKI, clock, look, _NAME, _LIMIT_S, after=name, is_remote=True
        )


async def _reach(patient: Patient, address: WikiAddress, notes: Notes) -> None:
    settings = patient.settings
    agent = user_agent(settings)
    timeout_s = min(settings.wiki_timeout_s, _LIMIT_S - 1)
    api = WikiApi(address, user_agent=agent, timeout_s=timeout_s)
    asked = {"meta": "siteinfo", "siprop": "general|dbrepllag"}
    try:
        answer = await api.call("query", _Site, asked)
    except TemporaryError as error:
        if not any(word in str(error) for word in _BEHIND):
            raise
        wait = "Wait: Sidenote also pauses while the databases of the wiki lag."
        notes.failed(address.host, error, wait, State.WARNING)
        return
    if answer.query is None:
        raise PermanentError(f"{address.api} gives no information about itself")
    _site(address, answer.query.general, agent, notes)
    lag_s = max((each.lag for each in answer.query.dbrepllag), default=0.0)
    notes.fine(f"{address.host}: lag", f"{max(lag_s, 0):g} s; maxlag is respected")


def _site(address: WikiAddress, general: _General, agent: str, notes: Notes) -> None:
    version = general.generator.removeprefix("MediaWiki ")
    if _number(version) < _LEAST:
        notes.broken(
            address.host,
            f"{general.generator or 'a program of no name'}, which is too old or not MediaWiki",
            "Set SIDENOTE_WIKI to a wiki with MediaWiki 1.35 or newer.",
        )
        return
    notes.fine(
        address.host, f"{general.sitename}, {general.generator}; it accepts “{agent}”"
    )
    if general.readonly:
        notes.warning(
            f"{address.host}: writing",
            f"the wiki is read-only at the moment ({general.readonlyreason})",
            "Wait; posts are made once it can be edited again.",
        )


def _number(version: str) -> tuple[int, ...]:
    parts = version.split("-", maxsplit=1)[0].split(".")[:2]
    return tuple(int(part) if part.isdecimal() else 0 for part in parts)


async def _clock(patient: Patient, address: WikiAddress, notes: Notes) -> None:
    question: Mapping[str, Any] = {"action": "query", "format": "json"}
    request = Request(address.api, question)
    before = patient.now()
    answer = await ask(patient, address.host, request, timeout_s=_LIMIT_S - 1)
    middle = before + (patient.now() - before) / 2
    try:
        told = parsedate_to_datetime(answer.headers.get("date", ""))
    except ValueError:
        notes.skipped(f"{address.host}: clock", "its responses have no Date header")
        return
    off_s = (told - middle).total_seconds()
    note_clock(notes, f"{address.host}: clock", off_s, "the wiki's")
