"""The other processes, by their heartbeats in the database."""

from functools import partial
from pathlib import Path

from bot import __version__
from bot.app.doctor.database import NAME as DATABASE
from bot.app.doctor.database import heartbeats, opened, parked_posts
from bot.app.doctor.values import Group, Notes, Patient, Trial, in_thread
from bot.daemon.status.situation import READ, ROLES, ago
from bot.records.heartbeat import Heartbeat
from bot.report.words import counted
from bot.settings.sources import SourcesRead
from bot.store.database import parse_url


def trials(patient: Patient) -> tuple[Trial, ...]:
    """Return what is looked up of processes."""
    look = in_thread(partial(_look, patient))
    is_remote = not patient.settings.database_url.startswith("sqlite")
    return (
        Trial(
            Group.PROCESSES,
            "processes",
            look,
            "See the tests of the database.",
            after=DATABASE,
            is_remote=is_remote,
        ),
    )


def _look(patient: Patient, notes: Notes) -> None:
    url = parse_url(patient.settings.database_url)
    is_file = url.get_backend_name() == "sqlite"
    if is_file and not Path(str(url.database)).exists():
        notes.fine("processes", "none has ever run")
        return
    with opened(patient.settings, to_read=True) as connection:
        said = heartbeats(connection)
        parked = parked_posts(connection)
    if parked:
        notes.warning(
            "posts",
            f"{counted(parked, 'post is', 'posts are')} parked: a person must settle"
            f" {'it' if parked == 1 else 'them'}",
            "See the reasons with `sidenote posts`, and settle each one.",
        )
    if not said:
        notes.fine("processes", "none is running")
        return
    for one in said:
        _one(one, patient, notes)
    _missing(said, patient, notes)


def _one(one: Heartbeat, patient: Patient, notes: Notes) -> None:
    now = patient.now()
    who = f"{one.host}, process {one.pid}"
    heard = f"{who}: last heartbeat {ago(one.seen_at, now)}"
    if not one.is_fresh(now):
        notes.warning(
            one.role,
            f"{heard}, then no more",
            f"See its log and restart it (sidenote {one.role}).",
        )
    elif one.problem:
        notes.warning(one.role, f"{who}: {one.problem}", "See its log.")
    elif one.version != __version__:
        notes.warning(
            one.role,
            f"{who} is Sidenote {one.version}; this is {__version__}",
            "Restart it with the new version.",
        )
    else:
        notes.fine(one.role, heard)


def _missing(said: tuple[Heartbeat, ...], patient: Patient, notes: Notes) -> None:
    now = patient.now()
    fresh = {one.role for one in said if one.is_fresh(now)}
    wanted = set(patient.roles)
    if patient.settings.sources_read is SourcesRead.ELSEWHERE:
        wanted.add(READ)
    gone = [role for role in ROLES if role in wanted and role not in fresh]
    stale = {one.role for one in said} - fresh
    absent = [role for role in gone if role not in stale]
    if fresh and absent:
        starts = " and ".join(f"sidenote {role}" for role in absent)
        notes.warning(
            "roles",
            f"{counted(len(absent), 'role')} not running: {', '.join(absent)}",
            f"Start {starts}, or one sidenote daemon for all of them.",
        )
