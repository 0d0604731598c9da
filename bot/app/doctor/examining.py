"""Runs all trials at the same time, each within its limit, whatever happens in one.

What one of them breaks is noted as its failure and the others go on.
"""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from urllib.parse import quote

from pydantic import SecretStr
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

from bot.app.doctor.values import REPORT_IT, Examination, Notes, Patient, Trial
from bot.daemon.threads import PassingThreads
from bot.wiki.answers import one_line
from handlers.ports import PermanentError, TemporaryError

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
        notes.skipped(trial.name, f"not tried, for “{trial.after}” failed")
        return False
    limit = asyncio.timeout(trial.limit_s)
    try:
        async with limit:
            await trial.run(notes)
    except (PermanentError, TemporaryError) as error:
        notes.failed(trial.name, error, trial.remedy)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the rest has to go on
        if limit.expired():
            seen = f"there was no answer within {trial.limit_s:g} s"
            notes.broken(trial.name, seen, trial.remedy)
        else:
            told = one_line(f"{type(error).__name__}: {error}")
            notes.broken(trial.name, f"examining it failed ({told})", REPORT_IT)
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
