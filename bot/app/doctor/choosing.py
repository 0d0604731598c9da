"""Which trials are made: those of the groups that a role needs, and that are wanted."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from bot.app.doctor import (
    account,
    data,
    database,
    feed,
    language_model,
    models,
    opensearch,
    processes,
    program,
    searches,
    serving,
    settings,
    web,
    wiki,
)
from bot.app.doctor.values import Examination, Group, Notes, Patient, Standing, Trial

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
        Group.OPENSEARCH: opensearch.trials,
        Group.SERVING: serving.trials,
        Group.PROCESSES: processes.trials,
    }
)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What somebody asked for; without `groups` those that the patient's roles need."""

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
        one for one in found if one.group in groups or one.standing is Standing.BROKEN
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
