"""Which trials are made, and all of them at the same time.

Those of the groups that a role needs, and that are wanted, each within its limit;
what one of them breaks is noted as its failure and the others continue.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from urllib.parse import quote

from pydantic import SecretStr
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

from bot.app.doctor import (
    account,
    data,
    database,
    feed,
    language_model,
    models,
    processes,
    program,
    searches,
    serving,
    settings,
    web,
    wiki,
)
from bot.app.doctor.values import (
    REPORT_IT,
    Examination,
    Group,
    Notes,
    Patient,
    State,
    Trial,
)
from bot.daemon.threads import PassingThreads
from bot.wiki.answers import one_line
from handlers.ports import PermanentError, TemporaryError

_ALWAYS = frozenset(
    {Group.PROGRAM, Group.SETTINGS, Group.DATA, Group.DATABASE, Group.PROCESSES}
)
# What each part of the daemon needs besides.
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
_MAKERS: Mapping[Group, Callable[[Patient], tuple[Trial, ...]]] = MappingProxyType(
    {
        Group.PROGRAM: lambda patient: program.trials(patient.roles),
        Group.SETTINGS: settings.trials,
        Group.MODELS: models.trials,
        Group.DATA: data.trials,
        Group.DATABASE: database.trials,
        Group.WIKI: wiki.trials,
        Group.ACCOUNT: account.trials,
        Group.FEED: feed.trials,
        Group.WEB: web.trials,
        Group.SEARCHES: searches.trials,
        Group.LANGUAGE_MODEL: language_model.trials,
        Group.OPENSEARCH: searches.opensearch_trials,
        Group.SERVING: serving.trials,
        Group.PROCESSES: processes.trials,
    }
)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What someone asked for; without `groups` those that the patient's roles need."""

    groups: frozenset[Group] = frozenset()
    offline: bool = False


def bare(roles: frozenset[str]) -> tuple[Trial, ...]:
    """Return the trials that can be made where the settings cannot be read."""
    return (*program.trials(roles), models.sums_trial())


def groups_of(roles: frozenset[str]) -> frozenset[Group]:
    """Return what processes with these roles need; OpenSearch is for commands alone."""
    if roles >= set(_NEEDED) - {"read"}:
        return frozenset(Group)
    return _ALWAYS.union(*(_NEEDED.get(role, frozenset()) for role in roles))


def chosen(patient: Patient, wanted: Wanted) -> tuple[tuple[Trial, ...], int]:
    """Return the trials to make, and how many were left out for want of a network.

    A trial that others come after is made for them, whatever group was asked for.
    """
    groups = wanted.groups or groups_of(patient.roles)
    made = [trial for group in Group for trial in _made(group, patient)]
    needed = _with_those_before(made, groups)
    kept = [
        t for t in made if t.name in needed and not (wanted.offline and t.is_remote)
    ]
    names = {trial.name for trial in kept}
    whole = tuple(t for t in kept if not t.after or t.after in names)
    return whole, len(needed) - len(whole)


def only_of(
    found: Sequence[Examination], patient: Patient, wanted: Wanted
) -> tuple[Examination, ...]:
    """Return what belongs to the wanted groups, and whatever is wrong with the others."""
    groups = wanted.groups or groups_of(patient.roles)
    return tuple(
        one for one in found if one.group in groups or one.state is State.BROKEN
    )


def _made(group: Group, patient: Patient) -> tuple[Trial, ...]:
    """Return the trials of a group; where they cannot be made, one that says why."""
    try:
        return _MAKERS[group](patient)
    except Exception as error:  # noqa: BLE001 - the other groups have to be examined
        told = error

    async def fail(_: Notes) -> None:
        raise told

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


_LEAST_SECRET_CHARS = 4  # what is shorter stands in many words by chance
_LISTS = frozenset({"bot_secret", "oauth_client_secrets"})  # each of several
_SECRET_VARIABLES = ("SIDENOTE_OAUTH", "TOOL_TOOLSDB_PASSWORD", "TOOL_REPLICA_PASSWORD")


async def examine(
    trials: Sequence[Trial], hide: Callable[[str], str] = lambda text: text
) -> tuple[Examination, ...]:
    """Return what all trials found, in their order.

    Args:
        trials: those that others come `after` stand before them.
        hide: takes secrets out of a text.
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


def hider(patient: Patient) -> Callable[[str], str]:
    """Return what takes all secrets of the settings and the environment out of texts."""
    found = {one for secret in _secrets(patient) for one in (secret, quote(secret, ""))}
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
    """Make a trial; return whether it came to its end."""
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
            told = one_line(f"{type(error).__name__}: {error}")
            notes.broken(trial.name, f"the test itself failed ({told})", REPORT_IT)
    else:
        return True
    return False


def _secrets(patient: Patient) -> Iterator[str]:
    settings = patient.settings
    for name in type(settings).model_fields:
        value = getattr(settings, name)
        if isinstance(value, SecretStr):
            secret = value.get_secret_value()
            yield secret
            yield from _parts(secret) if name in _LISTS else ()
    for name in _SECRET_VARIABLES:
        yield from _parts(patient.environment.get(name, ""))
    for address in (settings.database_url, settings.language_model_address):
        try:
            yield make_url(address).password or ""
        except (ArgumentError, ValueError):
            continue


def _parts(secret: str) -> Iterator[str]:
    """Yield the secrets that stand in a list of them."""
    for part in secret.replace(",", " ").split():
        yield part
        yield part.partition("=")[2]
