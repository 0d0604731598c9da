"""What writes to wikis, live or as a dry run."""

from collections.abc import Callable
from datetime import UTC, datetime
from random import random
from typing import TYPE_CHECKING

from bot.bootstrap.folders import make_folder
from bot.bootstrap.wiki import user_agent
from bot.posts import Limits, PostRules
from bot.settings import Posting, Settings
from handlers.ports import PermanentError

if TYPE_CHECKING:
    from bot.on_wiki.keys import Keys
    from bot.posts import Post
    from bot.store import Store
    from bot.writing.publisher import Publisher

_TALK = "talk"


def post_rules(settings: Settings) -> PostRules:
    """Give the limits of posts; reports have some of their own."""
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
    return PostRules(usual=reports, limits={_TALK: talk})


def open_keys(settings: Settings) -> "Keys":
    """Give what signs posts.

    Raises:
        PermanentError: there is no secret, or one is too short.
    """
    from bot.on_wiki.keys import Keys  # noqa: PLC0415 - only where something is written

    secrets = settings.bot_secret.get_secret_value().split()
    return Keys(tuple(secret.encode() for secret in secrets))


def open_publisher(
    settings: Settings,
    store: "Store",
    wiki: str,
    *,
    wanted: "Callable[[Post, str], str] | None" = None,
) -> "Publisher":
    """Give what makes the posts of one wiki, or shows them in a dry run.

    Args:
        settings: in force.
        store: opened with `post_rules`.
        wiki: host of the wiki, or its address.
        wanted: is asked right before each write, with the article's newest text.

    Raises:
        PermanentError: the account or the secret is not set.
    """
    from bot.adapters.wiki_address import parse_address  # noqa: PLC0415 - see above
    from bot.adapters.wiki_session import Account, WikiSession  # noqa: PLC0415 - slow
    from bot.writing.gate import Gate, GateRules, always_wanted  # noqa: PLC0415
    from bot.writing.local_pages import LocalPages  # noqa: PLC0415
    from bot.writing.publisher import Publisher  # noqa: PLC0415

    is_live = settings.posting is Posting.LIVE
    if not settings.bot_account:
        raise PermanentError(
            "no account is set to post with; set `bot_account`, also for a dry run,"
            " which is then made as that account would see the wiki"
        )
    account = Account(
        settings.bot_account,
        settings.bot_login,
        settings.bot_password.get_secret_value(),
    )
    address = parse_address(wiki)
    folder = settings.data_dir
    make_folder(folder)
    session = WikiSession(
        address,
        account if is_live else None,
        user_agent=user_agent(settings),
        folder=folder / "pywikibot",
        timeout_s=settings.wiki_timeout_s,
    )
    gate = Gate(
        session,
        GateRules(settings.bot_account, open_keys(settings)),
        now=_now,
        wanted=wanted or always_wanted,
        showing=None if is_live else LocalPages(folder / "dry-run", now=_now),
    )
    pause_s = settings.posting_pause_s if is_live else 0.0
    return Publisher(address.host, store.outbox, gate, _now, random, pause_s)


def _now() -> datetime:
    return datetime.now(UTC)
