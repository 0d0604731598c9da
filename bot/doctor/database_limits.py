"""What a MariaDB allows: its version, connections, packets, time-outs, and its clock."""

import re
from datetime import UTC, datetime

from sqlalchemy import Connection, text

from bot.doctor.clocks import note_clock
from bot.doctor.values import Notes, Patient
from bot.report.wording import counted
from bot.store.sight import Heartbeat

_LEAST_VERSION = (10, 6)  # SKIP LOCKED
_MIB = 2**20
_LEAST_PACKET = 16 * _MIB
_LEAST_WAIT_S = 60
_NEARLY = 0.8  # of all connections
_RENEWED_S = (
    300  # after which a connection is not used again, see `bot.store.connection`
)
_LIMITS = (
    "SELECT @@max_user_connections, @@max_connections, @@wait_timeout,"
    " @@max_allowed_packet, @@character_set_database, @@global.read_only, DATABASE()"
)
_NUMBER = re.compile(r"(\d+)\.(\d+)")


def version(connection: Connection, notes: Notes) -> None:
    """Write down whether the server is new enough."""
    said = str(connection.scalar(text("SELECT VERSION()")))
    found = _NUMBER.search(said)
    number = tuple(map(int, found.groups())) if found else (0, 0)
    if "mariadb" not in said.lower():
        notes.warning(
            "version",
            f"MySQL {said}; Sidenote is tested on MariaDB alone",
            "Use MariaDB 10.6 or newer.",
        )
    elif number < _LEAST_VERSION:
        notes.broken("version", said, "Use MariaDB 10.6 or newer (SKIP LOCKED).")
    else:
        notes.fine("version", said)


def limits(
    connection: Connection,
    patient: Patient,
    said: tuple[Heartbeat, ...],
    notes: Notes,
) -> None:
    """Write down what the server allows us, against what all processes may use."""
    row = connection.execute(text(_LIMITS)).one()
    per_user, in_all, wait_s, packet, letters, is_read_only, name = row
    _connections(connection, patient, said, int(per_user) or int(in_all), notes)
    _idle(int(wait_s), notes)
    if int(packet) < _LEAST_PACKET:
        notes.warning(
            "packet size",
            f"max_allowed_packet is {int(packet) // 1024:,} KiB",
            "Set max_allowed_packet=32M on the server; long pages may not fit.",
        )
    else:
        notes.fine("packet size", f"{int(packet) // _MIB:,} MiB")
    if letters != "utf8mb4":  # our own tables say it themselves
        notes.warning(
            "letters",
            f"new tables hold {letters}",
            f"Type into its client: ALTER DATABASE `{name}` CHARACTER SET utf8mb4;",
        )
    else:
        notes.fine("letters", str(letters))
    if int(is_read_only):
        notes.broken(
            "writing",
            "the server is read-only now",
            "Wait, if its machines are being changed; else name the server that takes writes.",
        )


def _connections(
    connection: Connection,
    patient: Patient,
    said: tuple[Heartbeat, ...],
    allowed: int,
    notes: Notes,
) -> None:
    each = patient.settings.database_connections
    now = patient.now()
    running = {(one.host, one.pid) for one in said if one.is_fresh(now)}
    processes = max(len(running), 1)
    used = connection.scalar(
        text(
            "SELECT COUNT(*) FROM information_schema.processlist"
            " WHERE user = SUBSTRING_INDEX(CURRENT_USER(), '@', 1)"
        )
    )
    seen = (
        f"{allowed} allowed, {used} in use; {counted(processes, 'process', 'processes')}"
        f" may take {each * processes}"
    )
    remedy = (
        f"Set SIDENOTE_DATABASE_CONNECTIONS to {max(allowed // processes, 1)} or less, run"
        " fewer processes, or ask for a higher max_user_connections."
    )
    if each * processes > allowed:
        notes.broken("connections", seen, remedy)
    elif each * (processes + 1) > allowed and running:
        notes.warning("connections", f"{seen}; there is no room for another", remedy)
    elif int(used or 0) > _NEARLY * allowed:
        notes.warning("connections", f"{seen}; nearly all are in use", remedy)
    else:
        notes.fine("connections", seen)


def _idle(wait_s: int, notes: Notes) -> None:
    seen = f"idle connections end after {wait_s:,} s"
    if wait_s < _LEAST_WAIT_S:
        notes.warning(
            "idle time",
            seen,
            f"Set wait_timeout to at least {_RENEWED_S} s; below, each look begins with a new connection.",
        )
    else:
        notes.fine("idle time", seen)


def clock(connection: Connection, patient: Patient, notes: Notes) -> None:
    """Write down how far the server's clock is from ours; leases hang on both."""
    before = patient.now()
    told = connection.scalar(text("SELECT UTC_TIMESTAMP(6)"))
    if isinstance(told, datetime):
        middle = before + (patient.now() - before) / 2
        off_s = (told.replace(tzinfo=UTC) - middle).total_seconds()
        note_clock(notes, "clock", off_s, "the database's")
