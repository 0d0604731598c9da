"""The change feed: whether it connects, speaks the protocol and sends events.

It is read from an hour ago, so that even a quiet feed sends something: each topic has a
canary event about once an hour.
"""

import asyncio
from datetime import timedelta
from functools import partial
from urllib.parse import urlsplit

from bot.app.doctor.values import Group, Notes, Patient, State, Trial
from bot.app.wiring.wiki import user_agent
from bot.daemon.intake.event_stream import EventStreams, Framer, Start, StreamSettings
from handlers.ports import TemporaryError

_BACK = timedelta(minutes=65)
_FIRST_EVENT_S = 12.0
_ANSWER_S = 12.0
_MAX_FRAME_BYTES = 1_000_000
_ADDRESS = "Check SIDENOTE_STREAM; for Wikimedia it is https://stream.wikimedia.org/v2/stream/."
_LESS = "Stop whatever else listens from here (another sidenote intake, another tool), or wait a minute; on Toolforge other tools may share the address."
_QUIET = "On a quiet wiki of your own, make an edit and try again; otherwise check SIDENOTE_STREAMS."
_TOO_MANY = "429"


def trials(patient: Patient) -> tuple[Trial, ...]:
    """Return what is tried of the feed."""
    look = partial(_look, patient)
    return (Trial(Group.FEED, "feed", look, _ADDRESS, limit_s=30, is_remote=True),)


async def _look(patient: Patient, notes: Notes) -> None:
    settings = patient.settings
    stream = StreamSettings(
        settings.stream,
        settings.streams,
        user_agent(settings),
        answer_s=_ANSWER_S,
        settle_s=0.0,
    )
    start = Start(since=patient.now() - _BACK)
    message = f"{urlsplit(settings.stream).netloc}: {', '.join(settings.streams)}"
    try:
        async with EventStreams(stream) as feed, feed.connect(start) as connection:
            notes.fine("feed", f"{message}; connected, text/event-stream")
            framer, said = Framer(_MAX_FRAME_BYTES), b""
            async with asyncio.timeout(_FIRST_EVENT_S):
                while not said and (chunk := await connection.read()):
                    said = next(filter(_is_event, framer.feed(chunk)), b"")
    except TimeoutError:
        _nothing_yet(notes)
        return
    except TemporaryError as error:
        if notes.taken:  # it was connected, and that is cut at any time
            notes.failed("first event", error, _QUIET, State.WARNING)
            return
        if _TOO_MANY not in str(error):
            raise
        # Who listens tries again by itself; for a while it may be our own intake.
        notes.warning("feed", f"{error}: it allows two connections per address", _LESS)
        return
    if said:
        kind = "a canary" if b'"canary"' in said else "an event"
        notes.fine(
            "first event", f"{kind} received; the feed goes back at least an hour"
        )
    else:
        notes.warning("first event", "the connection closed without an event", _QUIET)


def _nothing_yet(notes: Notes) -> None:
    notes.warning(
        "first event",
        f"nothing was received within {_FIRST_EVENT_S:g} s, not even from the last hour",
        _QUIET,
    )


def _is_event(frame: bytes) -> bool:
    return frame.startswith(b"data:") or b"\ndata:" in frame
