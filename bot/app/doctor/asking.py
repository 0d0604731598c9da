"""One question to a server, its answer bounded, and failures in words that fit any server."""

from bot.app.doctor.values import Patient
from bot.app.wiring.wiki import user_agent
from bot.search.services.client import Answer, Asker, RefusedError, Request
from handlers.ports import PermanentError


async def ask(
    patient: Patient, name: str, request: Request, *, timeout_s: float
) -> Answer:
    """Return what a server answers, whatever its status; `name` says what it is.

    Raises:
        TemporaryError: it cannot be reached, or not within the time.
        PermanentError: it sends us elsewhere or answers with too much, or no trusted
            connection can be made.
    """
    async with Asker(user_agent(patient.settings), timeout_s=timeout_s) as asker:
        try:
            return await asker.ask(name, request)
        except RefusedError as error:  # its remedy is for searches
            raise PermanentError(str(error).partition(";")[0]) from error
