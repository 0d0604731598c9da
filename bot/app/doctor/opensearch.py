"""OpenSearch: whether it answers, takes our login, and holds our index."""

from functools import partial

from bot.app.doctor.values import Group, Notes, Patient, Trial, in_thread
from bot.app.wiring.searches import open_opensearch
from handlers.ports import PermanentError

_SETTING = "The setting is SIDENOTE_OPENSEARCH_ADDRESS; empty, there is none."
_NO_INDEX = "there is no index"


def trials(patient: Patient) -> tuple[Trial, ...]:
    """Return what is tried of OpenSearch."""
    if not patient.settings.opensearch_address:
        return (Trial(Group.OPENSEARCH, "OpenSearch", _none, _SETTING),)
    look = in_thread(partial(_look, patient))
    return (Trial(Group.OPENSEARCH, "OpenSearch", look, _SETTING, is_remote=True),)


async def _none(notes: Notes) -> None:
    notes.skipped("OpenSearch", "none is set, and none is needed")


def _look(patient: Patient, notes: Notes) -> None:
    settings = patient.settings
    limit = {"opensearch_timeout_s": min(settings.opensearch_timeout_s, 12.0)}
    with open_opensearch(settings.model_copy(update=limit)) as cluster:
        try:
            has_vectors = cluster.has_vectors()
        except PermanentError as error:
            if _NO_INDEX not in str(error):
                raise
            seen = (
                f"{settings.opensearch_address} answers; {str(error).partition(';')[0]}"
            )
            make = "Make it: sidenote index FOLDER --opensearch"
            notes.warning("OpenSearch", seen, make)
            return
    kind = "words and vectors" if has_vectors else "words alone"
    notes.fine(
        "OpenSearch",
        f"{settings.opensearch_address}: index {settings.opensearch_index}, {kind}",
    )
