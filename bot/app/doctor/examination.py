"""Chooses the tests and runs all of them at the same time.

These are the tests of the groups that a role needs and that were asked for, each with a
time limit. If one raises, that is its result, and the others continue.
"""

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby
from types import MappingProxyType
from urllib.parse import quote

from pydantic import SecretStr
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

from bot import __version__
from bot.app.doctor import database, machine, services, settings, wiki
from bot.app.doctor.trial import (
    REPORT_IT,
    Examination,
    Group,
    Installation,
    Notes,
    State,
    Trial,
)
from bot.daemon.threads import PassingThreads
from bot.report.to_text import laid_out, texts
from bot.report.words import moment
from bot.wiki.answers import one_line
from handlers.ports import PermanentError, TemporaryError

_ALWAYS = frozenset(
    {Group.PROGRAM, Group.SETTINGS, Group.DATA, Group.DATABASE, Group.PROCESSES}
)
# What each part of the daemon needs in addition.
_NEEDED: Mapping[str, frozenset[Group]] = MappingProxyType(
    {
        "intake": frozenset({Group.WIKI, Group.FEED}),
        "work": frozenset(
            {Group.MODELS, Group.WIKI, Group.WEB, Group.SEARCHES, Group.LANGUAGE_MODEL}
        ),
        "publish": frozenset({Group.WIKI, Group.ACCOUNT}),
        "serve": frozenset({Group.WIKI, Group.SERVING}),
        "read": frozenset({Group.WEB}),
    }
)
_MAKERS: Mapping[Group, Callable[[Installation], Iterable[Trial]]] = MappingProxyType(
    {
        Group.PROGRAM: lambda installation: machine.program_trials(installation.roles),
        Group.SETTINGS: settings.trials,
        Group.MODELS: machine.model_trials,
        Group.DATA: machine.data_trials,
        Group.DATABASE: database.database_trials,
        Group.WIKI: wiki.wiki_trials,
        Group.ACCOUNT: wiki.account_trials,
        Group.FEED: wiki.feed_trials,
        Group.WEB: services.web_trials,
        Group.SEARCHES: services.search_trials,
        Group.LANGUAGE_MODEL: services.language_model_trials,
        Group.OPENSEARCH: services.opensearch_trials,
        Group.SERVING: services.serving_trials,
        Group.PROCESSES: database.process_trials,
    }
)


@dataclass(frozen=True, slots=True)
class SelectedTests:
    """What to test; without `groups`, what the roles need."""

    groups: frozenset[Group] = frozenset()
    offline: bool = False


def bare(roles: frozenset[str]) -> tuple[Trial, ...]:
    """Return the tests that are possible if the settings cannot be read."""
    return (*machine.program_trials(roles), machine.sums_trial())


def groups_of(roles: frozenset[str]) -> frozenset[Group]:
    """Return what processes with these roles need; only commands use OpenSearch."""
    if roles >= set(_NEEDED) - {"read"}:
        return frozenset(Group)
    return _ALWAYS.union(*(_NEEDED.get(role, frozenset()) for role in roles))


def chosen(
    installation: Installation, wanted: SelectedTests
) -> tuple[tuple[Trial, ...], int]:
    """Return the tests to run, and how many were left out because there is no network.

    A test that others depend on is run for them, whatever groups were asked for.
    """
    groups = wanted.groups or groups_of(installation.roles)
    made = [trial for group in Group for trial in _made(group, installation)]
    needed = _with_those_before(made, groups)
    runnable = [
        t for t in made if t.name in needed and not (wanted.offline and t.is_remote)
    ]
    names = {trial.name for trial in runnable}
    whole = tuple(t for t in runnable if not t.after or t.after in names)
    return whole, len(needed) - len(whole)


def only_of(
    found: Sequence[Examination], installation: Installation, wanted: SelectedTests
) -> tuple[Examination, ...]:
    """Return the results of the groups asked for, and any fault in the others."""
    groups = wanted.groups or groups_of(installation.roles)
    return tuple(
        one for one in found if one.group in groups or one.state is State.BROKEN
    )


def _made(group: Group, installation: Installation) -> tuple[Trial, ...]:
    """Return the tests of a group, or one that says why they cannot be run."""
    try:
        return tuple(_MAKERS[group](installation))
    except Exception as error:  # noqa: BLE001 - the other groups have to be examined
        failure = error

    async def fail(_: Notes) -> None:
        raise failure

    return (Trial(group, group.value, fail, "Correct the settings of this group."),)


def _with_those_before(made: list[Trial], groups: frozenset[Group]) -> frozenset[str]:
    by_name = {trial.name: trial for trial in made}

    def with_before(trial: Trial) -> Iterator[str]:
        yield trial.name
        if trial.after in by_name:
            yield from with_before(by_name[trial.after])

    return frozenset(
        name for trial in made if trial.group in groups for name in with_before(trial)
    )


_LEAST_SECRET_CHARS = 4  # shorter secrets occur in other words by chance
_LISTS = frozenset({"bot_secret", "oauth_client_secrets"})  # several secrets in each
_SECRET_VARIABLES = ("SIDENOTE_OAUTH", "TOOL_TOOLSDB_PASSWORD", "TOOL_REPLICA_PASSWORD")


async def examine(
    trials: Sequence[Trial], hide: Callable[[str], str] = lambda text: text
) -> tuple[Examination, ...]:
    """Return the results of all tests, in order.

    Args:
        trials: the tests; each comes later than the one it is to run `after`.
        hide: removes secrets from a text.
    """
    # A thread that hangs in a library must not keep the program from ending.
    asyncio.get_running_loop().set_default_executor(PassingThreads())
    begun: dict[str, asyncio.Task[bool]] = {}
    tasks: list[asyncio.Task[bool]] = []
    taken: list[Notes] = []
    for trial in trials:
        notes = Notes(trial.group)
        taken.append(notes)
        prior = begun.get(trial.after)
        begun[trial.name] = asyncio.create_task(_tried(trial, prior, notes))
        tasks.append(begun[trial.name])
    await asyncio.gather(*tasks)
    return tuple(
        replace(each, seen=hide(each.seen), remedy=hide(each.remedy))
        for notes in taken
        for each in notes.taken
    )


def hider(installation: Installation) -> Callable[[str], str]:
    """Return a function that removes all secrets of settings and environment from a text."""
    found = {
        one for secret in _secrets(installation) for one in (secret, quote(secret, ""))
    }
    secrets = sorted(
        (one for one in found if len(one) >= _LEAST_SECRET_CHARS), key=len, reverse=True
    )

    def hide(text: str) -> str:
        for secret in secrets:
            text = text.replace(secret, "***")
        return text

    return hide


async def _tried(
    trial: Trial, prior: "asyncio.Task[bool] | None", notes: Notes
) -> bool:
    """Run a test; return whether it finished."""
    if prior is not None and not await prior:
        notes.skipped(trial.name, f"not tested, because “{trial.after}” failed")
        return False
    limit = asyncio.timeout(trial.limit_s)
    try:
        async with limit:
            await trial.run(notes)
    except (PermanentError, TemporaryError) as error:
        notes.failed(trial.name, error, trial.remedy)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the rest has to go on
        if limit.expired():
            seen = f"no answer within {trial.limit_s:g} s"
            notes.broken(trial.name, seen, trial.remedy)
        else:
            why = one_line(f"{type(error).__name__}: {error}")
            notes.broken(trial.name, f"the test itself failed ({why})", REPORT_IT)
    else:
        return True
    return False


def _secrets(installation: Installation) -> Iterator[str]:
    settings = installation.settings
    for name in type(settings).model_fields:
        value = getattr(settings, name)
        if isinstance(value, SecretStr):
            secret = value.get_secret_value()
            yield secret
            yield from _parts(secret) if name in _LISTS else ()
    for name in _SECRET_VARIABLES:
        yield from _parts(installation.environment.get(name, ""))
    for address in (settings.database_url, settings.language_model_address):
        try:
            yield make_url(address).password or ""
        except (ArgumentError, ValueError):
            continue


def _parts(secret: str) -> Iterator[str]:
    """Yield the secrets in a setting that lists several."""
    for part in secret.replace(",", " ").split():
        yield part
        yield part.partition("=")[2]


# The results of the tests, as text and as JSON.


def render_json(found: Sequence[Examination], at: datetime) -> str:
    """Return one JSON object; `standing` is the worst state of any result."""
    counts = Counter(one.state for one in found)
    worst = next(
        one
        for one in (State.BROKEN, State.WARNING, State.FINE)
        if counts[one] or one is State.FINE
    )
    report = {
        "sidenote": __version__,
        "at": at.isoformat(timespec="seconds"),
        "standing": worst.value,
        "counts": {each.value: counts[each] for each in State},
        "examinations": [
            {
                "group": one.group.value,
                "name": one.name,
                "standing": one.state.value,
                "seen": one.seen,
                "remedy": one.remedy,
            }
            for one in found
        ],
    }
    return json.dumps(report, ensure_ascii=False, indent=2) + "\n"


_MARKS = {
    State.FINE: ("ok", "green"),
    State.WARNING: ("note", "bold yellow"),
    State.BROKEN: ("WRONG", "bold red"),
    State.SKIPPED: ("-", "dim"),
}
_HEADINGS = {
    Group.PROGRAM: "Program and machine",
    Group.LANGUAGE_MODEL: "Language model",
    Group.OPENSEARCH: "OpenSearch",
    Group.DATA: "Data folder",
    Group.FEED: "Change feed",
}


def render_text(
    found: Sequence[Examination],
    at: datetime,
    about: str,
    *,
    width: int,
    colour: bool,
) -> str:
    """Return all results, wrapped to `width` columns; `about` says what was tested."""
    broken = [one for one in found if one.state is State.BROKEN]
    template = texts("bot.app.doctor").get_template("doctor.txt")
    filled = template.render(
        title=f"Sidenote {__version__}, tested for {about}, {moment(at)}",
        groups=[(group, list(each)) for group, each in groupby(found, _group)],
        summary=summary(found),
        broken=[
            f"{group.value} ({', '.join(dict.fromkeys(one.name for one in each))})"
            for group, each in groupby(broken, _group)
        ],
        warned=sum(one.state is State.WARNING for one in found),
        HEADINGS=_HEADINGS,
        MARKS=_MARKS,
        State=State,
    )
    return laid_out(filled, width=width, colour=colour)


def _group(one: Examination) -> Group:
    return one.group


def summary(found: Sequence[Examination]) -> str:
    """Return the number of results in each state, in one line."""
    counts = Counter(one.state for one in found)
    parts = [
        f"{counts[State.BROKEN]} wrong",
        f"{counts[State.WARNING]} to review",
        f"{counts[State.FINE]} fine",
        f"{counts[State.SKIPPED]} skipped",
    ]
    return ", ".join(parts)
