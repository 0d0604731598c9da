"""What writes to wikis, live or as a dry run."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum, auto
from pathlib import Path
from random import random
from typing import TYPE_CHECKING, Any, Protocol

from bot.app.wiring.folders import make_folder
from bot.app.wiring.wiki import user_agent
from bot.records.posts import Limits, PostRules
from bot.settings import Posting, Settings
from handlers.ports import PermanentError

if TYPE_CHECKING:
    from bot.records.posts import Post
    from bot.store import Store
    from bot.wiki.address import WikiAddress
    from bot.wiki.keys import Keys
    from bot.writing.gate import Sending
    from bot.writing.interface_gate import InterfaceGate
    from bot.writing.local_pages import LocalPages
    from bot.writing.publisher import Maker, Publisher

_TALK = "talk"
_DRY_RUN = "dry-run"
_OAUTH = "SIDENOTE_OAUTH"
_MINUTES_A_DAY = 1_440


class Credentials(Enum):
    """As whom a wiki is asked about its accounts."""

    NOBODY = auto()
    BOT = auto()
    DEPLOYER = auto()


@dataclass(frozen=True, slots=True)
class _Questions:
    """What a gate asks about a post right before it writes; see `open_publisher`."""

    wanted: "Callable[[Post, str], str] | None" = None
    asked_on: "Callable[[Post], str] | None" = None


class Asked(Protocol):
    """A session that only asks, whatever its account may do."""

    def ask(self, parameters: Mapping[str, str]) -> dict[str, Any]:
        """Return the wiki's answer, logged in first if need be."""
        ...


def post_rules(settings: Settings) -> PostRules:
    """Give the limits of posts; reports have some of their own."""
    from bot.surfaces.post_summaries import Task  # noqa: PLC0415 - slow to import

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
    # A page of the operator's own: its pause of a minute is the limit.
    most = _MINUTES_A_DAY
    shown = Limits(per_page=most, per_user=most, per_wiki=most, in_all=most)
    limits = {_TALK: talk, _DRY_RUN: shown}
    tasks = frozenset(task.value for task in Task)
    return PostRules(usual=reports, limits=limits, tasks=tasks)


def dry_run_page(settings: Settings) -> str:
    """Return the title of the page that shows a dry run; empty if none is to."""
    is_live = settings.posting is Posting.LIVE
    # Pywikibot's account file takes the tokens from the environment; no setting has them.
    signs_in = settings.bot_password.get_secret_value() or os.environ.get(_OAUTH)
    has_account = settings.bot_account and signs_in
    return settings.dry_run_page if has_account and not is_live else ""


def open_keys(settings: Settings) -> "Keys":
    """Give what signs posts.

    Raises:
        PermanentError: there is no secret, or one is too short.
    """
    from bot.wiki.keys import Keys  # noqa: PLC0415 - only where something is written

    secrets = settings.bot_secret.get_secret_value().split()
    return Keys(tuple(secret.encode() for secret in secrets))


def open_publisher(
    settings: Settings,
    store: "Store",
    wiki: str,
    *,
    wanted: "Callable[[Post, str], str] | None" = None,
    asked_on: "Callable[[Post], str] | None" = None,
) -> "Publisher":
    """Give what makes the posts of one wiki, or shows them in a dry run.

    A dry run gets no gate that writes, but for the one page of `dry_run_page`.

    Args:
        settings: in force.
        store: opened with `post_rules`.
        wiki: host of the wiki, or its address.
        wanted: is asked right before each write, with the article's newest text.
        asked_on: names the page on which a person asked for a post, if it is another.

    Raises:
        PermanentError: the account or the secret is not set.
    """
    from bot.wiki.address import parse_address  # noqa: PLC0415 - see above
    from bot.writing.publisher import Publisher  # noqa: PLC0415

    is_live = settings.posting is Posting.LIVE
    if not settings.bot_account:
        raise PermanentError(
            "no account is set to post with; set `bot_account`, also for a dry run,"
            " which is then made as that account would see the wiki"
        )
    address = parse_address(wiki)
    make_folder(settings.data_dir)
    questions = _Questions(wanted, asked_on)
    sending = store.outbox.sending
    maker = _gate(settings, address, questions, sending, is_live=is_live)
    if dry_run_page(settings) and address.host == parse_address(settings.wiki).host:
        maker = _dry_run(settings, address, maker, sending)
    pause_s = settings.posting_pause_s if is_live else 0.0
    return Publisher(address.host, store.outbox, maker, _now, random, pause_s)


def local_pages(settings: Settings) -> "LocalPages":
    """Give the pages that a dry run leaves behind."""
    from bot.writing.local_pages import LocalPages  # noqa: PLC0415 - see above

    return LocalPages(settings.data_dir / "dry-run", now=_now)


def open_interface_gate(settings: Settings, wiki: str, bot: str) -> "InterfaceGate":
    """Give what writes the gadget's own pages, as the account that deploys.

    Without that account's name nothing can be written, but all can be compared.

    Args:
        settings: in force.
        wiki: host of the wiki, or its address.
        bot: whose user pages hold the templates.

    Raises:
        PermanentError: the account is the bot's, or has no password.
    """
    from bot.wiki.address import parse_address  # noqa: PLC0415 - see above
    from bot.wiki.session import Account, WikiSession  # noqa: PLC0415 - slow
    from bot.writing.interface_gate import InterfaceGate  # noqa: PLC0415

    name = settings.deploy_account
    password = settings.deploy_password.get_secret_value()
    if name and name == bot:
        raise PermanentError(
            "`deploy_account` is the bot's own; a bot may not edit the interface,"
            " so give the account of a person who may"
        )
    if name and not password:
        raise PermanentError("`deploy_account` is set and `deploy_password` is not")
    make_folder(settings.data_dir)
    session = WikiSession(
        parse_address(wiki),
        Account(name, settings.deploy_login, password) if name else None,
        user_agent=user_agent(settings),
        folder=settings.data_dir / "pywikibot-deploy",
        timeout_s=settings.wiki_timeout_s,
    )
    return InterfaceGate(session, bot)


def open_account(
    settings: Settings, wiki: str, who: Credentials, folder: Path
) -> Asked:
    """Give what asks a wiki as one of our accounts, logging in anew.

    Args:
        settings: in force.
        wiki: host of the wiki, or its address.
        who: whose name and password are used.
        folder: for the session, which is another than that of whoever writes.
    """
    from bot.wiki.address import parse_address  # noqa: PLC0415 - see above
    from bot.wiki.session import Account, WikiSession  # noqa: PLC0415 - slow

    accounts = {
        Credentials.BOT: Account(
            settings.bot_account,
            settings.bot_login,
            settings.bot_password.get_secret_value(),
        ),
        Credentials.DEPLOYER: Account(
            settings.deploy_account,
            settings.deploy_login,
            settings.deploy_password.get_secret_value(),
        ),
    }
    return WikiSession(
        parse_address(wiki),
        accounts.get(who),
        user_agent=user_agent(settings),
        folder=folder,
        timeout_s=settings.wiki_timeout_s,
        anew=True,
    )


def _gate(
    settings: Settings,
    address: "WikiAddress",
    questions: _Questions,
    sending: "Sending",
    *,
    is_live: bool,
) -> "Maker":
    """Give a gate: one that writes, or one without an account, that shows."""
    from bot.wiki.session import Account, WikiSession  # noqa: PLC0415 - slow
    from bot.writing.gate import (  # noqa: PLC0415
        Gate,
        GateRules,
        always_wanted,
        asked_nowhere,
    )

    account = Account(
        settings.bot_account,
        settings.bot_login,
        settings.bot_password.get_secret_value(),
    )
    session = WikiSession(
        address,
        account if is_live else None,
        user_agent=user_agent(settings),
        folder=settings.data_dir / "pywikibot",
        timeout_s=settings.wiki_timeout_s,
    )
    return Gate(
        session,
        GateRules(settings.bot_account, open_keys(settings)),
        now=_now,
        wanted=questions.wanted or always_wanted,
        asked_on=questions.asked_on or asked_nowhere,
        sending=sending,
        showing=None if is_live else local_pages(settings),
    )


def _dry_run(
    settings: Settings, address: "WikiAddress", shown: "Maker", sending: "Sending"
) -> "Maker":
    """Give what shows all posts, but for those to the page of the dry run itself."""
    from bot.writing.dry_run import DryRun, OnePage  # noqa: PLC0415 - see above

    page = OnePage(
        gate=_gate(settings, address, _Questions(), sending, is_live=True),
        wiki=address.host,
        title=dry_run_page(settings),
        task=_DRY_RUN,
    )
    return DryRun(shown, page)


def _now() -> datetime:
    return datetime.now(UTC)
