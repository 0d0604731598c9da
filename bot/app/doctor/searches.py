"""Each search service in the settings: its key, one query, today's quota; OpenSearch."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from bot.app.doctor.values import Group, Notes, Patient, State, Trial, in_thread
from bot.app.wiring.searches import open_opensearch, open_services
from bot.report.words import counted
from bot.settings import Settings
from bot.settings.searching import SearchName
from handlers.model import Query
from handlers.ports import Metered, PermanentError, Search, TemporaryError

_QUESTION = Query("Wikipedia is an encyclopedia that anybody can edit", "Wikipedia")
_MOST_S = 40.0
_TURN_S = 16.0  # a service may let us wait for our turn
_NEARLY = 0.9  # of a day's quota


def trials(patient: Patient) -> tuple[Trial, ...]:
    """Return what is tried of searches."""
    return tuple(_of_each(patient))


def _of_each(patient: Patient) -> Iterator[Trial]:
    settings = patient.settings
    limit_s = min(settings.search_timeout_s + _TURN_S, _MOST_S)
    for name in (name for group in settings.search_order for name in group):
        look = partial(_look, patient, name)
        remedy = f"Remove {name.value} from SIDENOTE_SEARCHES, or try again later."
        yield Trial(Group.SEARCHES, name.value, look, remedy, limit_s, is_remote=True)


async def _look(patient: Patient, name: SearchName, notes: Notes) -> None:
    settings = patient.settings
    try:
        with _data_folder(settings) as folder:
            own = settings.model_copy(update={"data_dir": folder})
            async with open_services(own, name.value) as (search,):
                found = await search.search(_QUESTION, limit=3)
                asked = _quota(search)
    except TemporaryError as error:  # others step in for it, or it is asked again
        remedy = f"Try again later; if it persists, remove {name.value} from SIDENOTE_SEARCHES."
        notes.failed(name.value, error, remedy, State.WARNING)
        return
    except PermanentError as error:
        said = str(error)
        if "not searched yet" not in said:
            raise
        _left_out(settings, name, said.rpartition("; ")[2], notes)
        return
    answered = f"answered with {counted(len(found), 'result')}"
    spent, told = asked
    if spent >= _NEARLY:
        notes.warning(
            name.value,
            f"{answered}; {told}",
            "Raise SIDENOTE_SEARCH_QUOTAS, if your plan allows more.",
        )
    else:
        notes.fine(name.value, f"{answered}{told and '; '}{told}")


@contextmanager
def _data_folder(settings: Settings) -> Iterator[Path]:
    """Give where requests of the day are counted; what is not there is not made.

    Whoever examines may be another user than the one whose folder it is to be.
    """
    if settings.data_dir.exists():
        yield settings.data_dir
        return
    with TemporaryDirectory(prefix="sidenote-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def _left_out(settings: Settings, name: SearchName, missing: str, notes: Notes) -> None:
    """Tell of a search without its key: of no account, unless someone asked for it."""
    if "searches" not in settings.model_fields_set:
        notes.skipped(name.value, f"not used; to use it, {missing}")
        return
    notes.broken(
        name.value,
        "it is in SIDENOTE_SEARCHES but not set up, so it is not used",
        f"{missing[:1].upper()}{missing[1:]}, or remove {name.value} from SIDENOTE_SEARCHES.",
    )


def _quota(search: Search) -> tuple[float, str]:
    """Return the share of the day's requests that was used, and the count in words."""
    quotas = search.quotas() if isinstance(search, Metered) else ()
    for one in quotas or ():
        if one.limit:
            return (
                one.used / one.limit,
                f"{one.used:,} of {one.limit:,} requests of today",
            )
        return 0.0, f"{counted(one.used, 'request')} today, without a limit"
    return 0.0, ""


# OpenSearch: whether it answers, takes our login, and holds our index.

_SETTING = "Check SIDENOTE_OPENSEARCH_ADDRESS; leave it empty to use no OpenSearch."
_NO_INDEX = "there is no index"
_CLUSTER_S = 12.0


def opensearch_trials(patient: Patient) -> tuple[Trial, ...]:
    """Return what is tried of OpenSearch."""
    if not patient.settings.opensearch_address:
        return (Trial(Group.OPENSEARCH, "OpenSearch", _no_cluster, _SETTING),)
    look = in_thread(partial(_look_at_index, patient))
    return (Trial(Group.OPENSEARCH, "OpenSearch", look, _SETTING, is_remote=True),)


async def _no_cluster(notes: Notes) -> None:
    notes.skipped("OpenSearch", "not set, and not needed")


def _look_at_index(patient: Patient, notes: Notes) -> None:
    settings = patient.settings
    with open_opensearch(settings, timeout_s=_CLUSTER_S) as cluster:
        try:
            has_vectors = cluster.has_vectors()
        except PermanentError as error:
            if _NO_INDEX not in str(error):
                raise
            seen = (
                f"{settings.opensearch_address} answers; {str(error).partition(';')[0]}"
            )
            make = "Create it: sidenote index FOLDER --opensearch"
            notes.warning("OpenSearch", seen, make)
            return
    kind = "words and vectors" if has_vectors else "words only"
    notes.fine(
        "OpenSearch",
        f"{settings.opensearch_address}: index {settings.opensearch_index}, {kind}",
    )
