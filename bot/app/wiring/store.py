"""The store of everything that was checked, and the folders of this machine."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from bot.records.posts import Limits, PostRules
from bot.records.tasks import TaskKind
from bot.settings import Settings
from handlers.ports import PermanentError

if TYPE_CHECKING:
    from bot.store import Store


_TALK = "talk"
_DRY_RUN = "dry-run"
_MINUTES_A_DAY = 1_440
_OF_OTHERS = stat.S_IRWXG | stat.S_IRWXO


@contextmanager
def open_store(settings: Settings) -> Iterator["Store"]:
    """Open the store; make its folder, and bring its tables up to date."""
    from bot.store import check_policy, draft_policy
    from bot.store import open_store as open_at

    if not settings.database:
        make_folder(settings.data_dir)
    else:
        _close_to_others(settings.data_dir)
    with open_at(
        settings.database_url,
        connections=settings.database_connections,
        policies={
            TaskKind.CHECK: check_policy(weights=settings.weights),
            TaskKind.DRAFT: draft_policy(per_user=settings.drafts_per_user),
        },
        post_rules=post_rules(settings),
    ) as store:
        yield store


def index_folder(settings: Settings) -> Path:
    """Return where the local index is unless a command names another place."""
    return settings.data_dir / "index"


def make_folder(folder: Path) -> None:
    """Make a folder of ours, and its parents; nobody else may look into it.

    It holds names of people and texts that they supplied.

    Raises:
        PermanentError: we may not; the message says what to set.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise PermanentError(
            f"the folder {folder} cannot be created ({error.strerror}); set"
            " SIDENOTE_DATA_DIR to one that you can write to"
        ) from error
    _close_to_others(folder)


def _close_to_others(folder: Path) -> None:
    """Take from others what rights they have in a folder that is ours.

    One like /tmp, in which each user has files, stays as it is.
    """
    with suppress(OSError):  # it is missing, or another user's
        mode = stat.S_IMODE(folder.stat().st_mode)
        is_ours = folder.stat().st_uid == os.getuid() and not mode & stat.S_ISVTX
        if is_ours and mode & _OF_OTHERS:
            folder.chmod(mode & ~_OF_OTHERS)


def post_rules(settings: Settings) -> PostRules:
    """Return the limits of posts; reports have their own."""
    from bot.surfaces.post_summaries import Task

    talk = Limits(
        per_page=settings.posts_per_page,
        per_user=settings.posts_per_user,
        per_wiki=settings.posts_per_wiki,
        in_all=settings.posts_in_all,
    )
    often = settings.reports_per_page
    reports = Limits(
        per_page=often, per_user=often, per_wiki=50 * often, in_all=200 * often
    )
    # A page of the operator's own: a pause of a minute is its only limit.
    most = _MINUTES_A_DAY
    shown = Limits(per_page=most, per_user=most, per_wiki=most, in_all=most)
    limits = {_TALK: talk, _DRY_RUN: shown}
    tasks = frozenset(task.value for task in Task)
    return PostRules(usual=reports, limits=limits, tasks=tasks)
