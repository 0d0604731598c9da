"""Each wiki: reachable, the bot's account, the pages about the bot, and the change feed."""

import asyncio
from collections.abc import Iterator, Mapping
from datetime import timedelta
from email.utils import parsedate_to_datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any
from urllib.parse import urlsplit

from pydantic import BaseModel, Field, ValidationError

from bot.app.doctor.trial import (
    Group,
    Installation,
    Notes,
    State,
    Trial,
    ask,
    in_thread,
    note_clock,
)
from bot.app.wiring.wiki import Credentials, open_account, open_wiki_lists, user_agent
from bot.daemon.intake.event_stream import (
    EventStreams,
    Framer,
    Start,
    StreamSettings,
    TooManyStreamsError,
)
from bot.report.words import counted
from bot.search.services.client import Request
from bot.settings import Posting, Settings
from bot.surfaces.opt_in.community import read_community
from bot.surfaces.opt_in.refusal import PROGRAM, exclusion
from bot.surfaces.post_summaries import Task, stop_page
from bot.surfaces.shipped import wiki_pages
from bot.wiki.address import WikiAddress, parse_address
from bot.wiki.answers import Line, Reply
from bot.wiki.api import LagError, WikiApi
from bot.writing.preflight import GO, CurrentPage
from handlers.ports import PermanentError, TemporaryError

_LIMIT_S = 20.0
_LEAST = (1, 35)
_NAME = "Check SIDENOTE_WIKI and SIDENOTE_WIKIS."


class _General(BaseModel):
    sitename: Line = ""
    generator: Line = ""
    readonly: bool = False
    readonlyreason: Line = ""


class _Lag(BaseModel):
    lag: float = 0.0


class _Query(BaseModel):
    general: _General
    dbrepllag: list[_Lag] = []


class _Site(Reply):
    query: _Query | None = None


def wikis_of(installation: Installation) -> Mapping[str, str]:
    """Return the addresses of the wikis in the settings, by host."""
    named = (installation.settings.wiki, *installation.settings.wikis)
    return {parse_address(each).host: each for each in reversed(named)}


def wiki_trials(installation: Installation) -> Iterator[Trial]:
    """Yield the tests of each wiki."""
    for host, given in wikis_of(installation).items():
        address = parse_address(given)
        reach = partial(_reach, installation, address)
        examine = partial(_clock, installation, address)
        trial = partial(
            Trial, Group.WIKI, remedy=_NAME, limit_s=_LIMIT_S, is_remote=True
        )
        yield trial(host, reach)
        yield trial(f"{host}: clock", examine, after=host)


async def _reach(
    installation: Installation, address: WikiAddress, notes: Notes
) -> None:
    settings = installation.settings
    agent = user_agent(settings)
    timeout_s = min(settings.wiki_timeout_s, _LIMIT_S - 1)
    api = WikiApi(address, user_agent=agent, timeout_s=timeout_s)
    question = {"meta": "siteinfo", "siprop": "general|dbrepllag"}
    try:
        answer = await api.call("query", _Site, question)
    except LagError as error:
        wait = "Wait: Sidenote also pauses while the databases of the wiki lag."
        notes.failed(address.host, error, wait, State.WARNING)
        return
    if answer.query is None:
        raise PermanentError(f"{address.api} gives no information about itself")
    _site(address, answer.query.general, agent, notes)
    lag_s = max((each.lag for each in answer.query.dbrepllag), default=0.0)
    notes.fine(f"{address.host}: lag", f"{max(lag_s, 0):g} s; maxlag is respected")


def _site(address: WikiAddress, general: _General, agent: str, notes: Notes) -> None:
    version = general.generator.removeprefix("MediaWiki ")
    if _number(version) < _LEAST:
        notes.broken(
            address.host,
            f"{general.generator or 'a program of no name'}, which is too old or not MediaWiki",
            "Set SIDENOTE_WIKI to a wiki with MediaWiki 1.35 or newer.",
        )
        return
    notes.fine(
        address.host, f"{general.sitename}, {general.generator}; it accepts “{agent}”"
    )
    if general.readonly:
        notes.warning(
            f"{address.host}: writing",
            f"the wiki is read-only at the moment ({general.readonlyreason})",
            "Wait; posts are made once it can be edited again.",
        )


def _number(version: str) -> tuple[int, ...]:
    parts = version.split("-", maxsplit=1)[0].split(".")[:2]
    return tuple(int(part) if part.isdecimal() else 0 for part in parts)


async def _clock(
    installation: Installation, address: WikiAddress, notes: Notes
) -> None:
    parameters: Mapping[str, Any] = {"action": "query", "format": "json"}
    request = Request(address.api, parameters)
    before = installation.now()
    answer = await ask(installation, address.host, request, timeout_s=_LIMIT_S - 1)
    middle = before + (installation.now() - before) / 2
    try:
        server_time = parsedate_to_datetime(answer.headers.get("date", ""))
    except ValueError:
        notes.skipped(f"{address.host}: clock", "its responses have no Date header")
        return
    off_s = (server_time - middle).total_seconds()
    note_clock(notes, f"{address.host}: clock", off_s, "the wiki's")


# The bot's account: its rights and limits, and what people wrote on its pages.


class Account(BaseModel):
    """An account, as `meta=userinfo` and `list=users` describe it."""

    name: Line = ""
    missing: bool = False
    anon: bool = False
    blockid: int | None = None
    blockpartial: bool = False
    blockreason: Line = ""
    blockedby: Line = "somebody"
    groups: list[Line] = []
    rights: list[Line] = []
    messages: bool = False
    ratelimits: dict[str, Any] | list[Any] = {}

    def slowest(self, action: str) -> tuple[int, int] | None:
        """Return how often an action is allowed and in how many seconds; `None`: no limit."""
        limits = self.ratelimits if isinstance(self.ratelimits, dict) else {}
        kinds = limits.get(action)
        found = [
            (int(each["hits"]), int(each["seconds"]))
            for each in (kinds.values() if isinstance(kinds, dict) else ())
            if isinstance(each, dict) and {"hits", "seconds"} <= set(each)
        ]
        usable = [each for each in found if each[0] > 0]
        return min(usable, key=lambda each: each[0] / max(each[1], 1), default=None)


class _Normalized(BaseModel):
    source: Line = Field(alias="from")
    target: Line = Field(alias="to")


class Query(BaseModel):
    """The query."""

    userinfo: Account = Account()
    users: list[Account] = []
    pages: list[CurrentPage] = []
    normalized: list[_Normalized] = []


class Answer(BaseModel):
    """An answer about an account and pages."""

    query: Query

    def text_of(self, title: str) -> str | None:
        """Return the text of a page by the title in the query; `None` if it does not exist."""
        names = {each.source: each.target for each in self.query.normalized}
        wanted = names.get(title, title)
        return next(
            (page.text for page in self.query.pages if page.title == wanted), None
        )


# The pages that control the bot: whether they exist and what they say.

_SHOWN = 3


def titles_of(bot: str, settings: Settings) -> tuple[str, ...]:
    """Return the titles of all these pages."""
    stops = [stop_page(bot, task) for task in Task]
    templates = [page.title for page in wiki_pages(bot)]
    own = filter(None, (settings.dry_run_page, settings.status_page))
    return (*stops, *templates, settings.community_page, *own)


def note_pages(
    installation: Installation,
    host: str,
    answer: Answer,
    titles: tuple[str, ...],
    notes: Notes,
) -> None:
    """Report what these pages say."""
    bot, settings = installation.settings.bot_account, installation.settings
    _stops(installation, host, answer, notes)
    _templates(bot, host, answer, notes)
    _community(settings.community_page, host, answer, notes)
    _excluded(bot, host, answer, titles, notes)
    if answer.query.userinfo.messages:
        notes.warning(
            f"{host}: messages",
            f"there is an unanswered message on User talk:{bot}",
            f"Log in as {bot}, read it and reply.",
        )


def _stops(installation: Installation, host: str, answer: Answer, notes: Notes) -> None:
    bot, settings = installation.settings.bot_account, installation.settings
    is_live = settings.posting is Posting.LIVE
    wanted = [task for task in Task if (task is Task.DRY_RUN) is not is_live]
    if not settings.status_page:
        wanted = [task for task in wanted if task is not Task.STATUS]
    if not settings.patrol:
        wanted = [task for task in wanted if task is not Task.PATROL]
    if not is_live and not settings.dry_run_page:
        notes.skipped(f"{host}: run pages", "not needed in a dry run")
        return
    name = f"{host}: run pages"
    texts = {task: answer.text_of(stop_page(bot, task)) for task in wanted}
    running = [t.value for t, text in texts.items() if text == GO]
    # The page about accuracy is only made if the community asks for it.
    needed = {t: text for t, text in texts.items() if t is not Task.ACCURACY}
    absent = [stop_page(bot, t) for t, text in needed.items() if text is None]
    stopped = {
        stop_page(bot, t): text for t, text in texts.items() if text and text != GO
    }
    if running:
        notes.fine(name, f"these tasks are running: {', '.join(running)}")
    for title, text in stopped.items():
        notes.warning(
            name,
            f"{title} says “{' '.join(text.split())[:60]}”: this task has been stopped",
            f"Check the history of the page for the reason and resolve it; then save the word “{GO}” on the page.",
        )
    if absent:
        notes.warning(
            name,
            f"{counted(len(absent), 'task does', 'tasks do')} not run, because these pages do not exist: {', '.join(absent)}",
            f"Create each page with the word “{GO}” as soon as the task is approved.",
        )


def _templates(bot: str, host: str, answer: Answer, notes: Notes) -> None:
    name = f"{host}: templates"
    titles = [page.title for page in wiki_pages(bot)]
    missing = [
        title
        for title in titles
        if not title.endswith(("/doc", "/about")) and answer.text_of(title) is None
    ]
    if not missing:
        notes.fine(name, f"{counted(len(titles), 'page')} of templates exist")
        return
    notes.warning(
        name,
        f"notes need templates that do not exist: {', '.join(missing)}",
        "Type: sidenote gadget deploy --only templates --only documentation",
    )


def _community(title: str, host: str, answer: Answer, notes: Notes) -> None:
    name, text = f"{host}: community page", answer.text_of(title)
    if text is None:
        notes.fine(name, f"{title} does not exist, so the defaults apply")
        return
    faults = read_community(text).faults
    if not faults:
        notes.fine(name, f"{title} is valid")
    for fault in faults[:_SHOWN]:
        subject = f"{fault.parameter} = {fault.given}: " if fault.parameter else ""
        notes.warning(
            name,
            f"{title}: {subject}{fault.problem}; the last valid version still applies",
            f"Edit {title}: {fault.remedy}.",
        )


def _excluded(
    bot: str, host: str, answer: Answer, titles: tuple[str, ...], notes: Notes
) -> None:
    name = f"{host}: exclusion"
    refusals = {
        title: found.reason
        for title in titles
        if (text := answer.text_of(title))
        and not title.endswith("/doc")
        and not (found := exclusion(text, bot, task=PROGRAM)).may_write
    }
    for title, reason in refusals.items():
        notes.warning(
            name,
            f"{title}: {reason}",
            "Remove it, unless the bot should stay away from its own page.",
        )
    if not refusals:
        notes.fine(name, "no {{nobots}} on its own pages")


_ACCOUNT_S, _MOST_S = 35.0, 55.0
_TURN_S = 2.0  # for each further wiki, since they are tested one after another
_NEEDED = {
    "edit": "edit pages",
    "createpage": "create pages, such as reports",
    "createtalk": "create talk pages",
}
_NEEDED_TO_DEPLOY = {
    "editinterface": "edit the interface",
    "editsitejs": "edit scripts of the site",
    "editsitecss": "edit styles of the site",
}
# Rights that a bot that leaves notes never needs; somebody with its password could use
# them.
_NOT_NEEDED = frozenset(
    {"abusefilter-modify", "block", "delete", "deleterevision", "editinterface"}
    | {"editmyprivateinfo", "editprotected", "editsiteconfig", "editsitecss"}
    | {"editsitejs", "editusercss", "edituserjs", "edituserjson", "globalblock"}
    | {"import", "mergehistory", "oversight", "protect", "rollback", "suppressrevision"}
    | {"undelete", "userrights", "viewmyprivateinfo", "viewsuppressed"}
)
_LOGIN = "Make a new bot password at Special:BotPasswords, and set SIDENOTE_BOT_LOGIN and SIDENOTE_BOT_PASSWORD to its name and password."
_LESS = "At Special:BotPasswords (or the OAuth consumer) take away all grants but: basic, high-volume access, edit existing pages, create pages, and the watchlist."
_one_at_a_time = Lock()  # the whole program shares Pywikibot's connection


def account_trials(installation: Installation) -> Iterator[Trial]:
    """Yield the tests of the accounts on each wiki."""
    settings, wikis = installation.settings, wikis_of(installation)
    if not settings.bot_account:
        without = partial(_no_account, installation)
        yield Trial(Group.ACCOUNT, "account", without, _LOGIN)
        return
    limit_s = min(_ACCOUNT_S + _TURN_S * (len(wikis) - 1), _MOST_S)
    for host, wiki in wikis.items():
        trial = partial(
            Trial,
            Group.ACCOUNT,
            remedy=_LOGIN,
            limit_s=limit_s,
            after=host,
            is_remote=True,
        )
        examine = in_thread(partial(_examine_account, installation, wiki))
        yield trial(f"{host}: account", examine)
        if settings.bot_watchlist_token.get_secret_value():
            yield trial(f"{host}: watchlist", partial(_watchlist, installation, wiki))
        if settings.deploy_account and wiki == settings.wiki:
            deploy = in_thread(partial(_deployer, installation, wiki))
            yield trial(f"{host}: deploy_account", deploy)


async def _no_account(installation: Installation, notes: Notes) -> None:
    is_live = installation.settings.posting is Posting.LIVE
    if is_live or "publish" in installation.roles:
        notes.warning(
            "account",
            "no account is set, which even a dry run needs",
            "Set SIDENOTE_BOT_ACCOUNT to the name of the bot's account.",
        )
    else:
        notes.skipped("account", "not set, and not needed")


def _examine_account(installation: Installation, wiki: str, notes: Notes) -> None:
    settings, host = installation.settings, parse_address(wiki).host
    has_oauth = bool(installation.environment.get("SIDENOTE_OAUTH"))
    signs_in = bool(settings.bot_password.get_secret_value()) or has_oauth
    titles = titles_of(settings.bot_account, settings)
    question = {
        "titles": "|".join(titles),
        "prop": "revisions",
        "rvprop": "ids|content",
        "rvslots": "main",
        "meta": "userinfo",
        "uiprop": "blockinfo|groups|rights|ratelimits|hasmsg",
        "list": "users",
        "ususers": settings.bot_account,
        "usprop": "blockinfo|groups|rights",
    }
    who = Credentials.BOT if signs_in else Credentials.NOBODY
    answer = _answer(installation, wiki, who, question)
    if signs_in:
        account, how = (
            answer.query.userinfo,
            "bot password" if not has_oauth else "OAuth",
        )
        notes.fine(f"{host}: login", f"as {account.name}, with {how}")
    else:
        account = answer.query.users[0] if answer.query.users else Account(missing=True)
        _without_login(installation, host, account, notes)
    if not account.missing:
        _block(host, account, notes)
        _rights(host, account, signs_in, notes)
        _pace(host, account, settings.posting_pause_s, notes)
    note_pages(installation, host, answer, titles, notes)


def _answer(
    installation: Installation, wiki: str, who: Credentials, question: Mapping[str, str]
) -> Answer:
    with (
        _one_at_a_time,
        TemporaryDirectory(prefix="sidenote-", ignore_cleanup_errors=True) as folder,
    ):
        session = open_account(installation.settings, wiki, who, Path(folder))
        answer = session.ask(question)
    try:
        return Answer.model_validate(answer)
    except ValidationError:
        raise PermanentError(
            f"{parse_address(wiki).host} gave an answer about the account that cannot be read"
        ) from None


def _without_login(
    installation: Installation, host: str, account: Account, notes: Notes
) -> None:
    name = installation.settings.bot_account
    if account.missing:
        notes.broken(
            f"{host}: login",
            f"the account “{name}” does not exist",
            "Correct SIDENOTE_BOT_ACCOUNT, or create the account.",
        )
    elif installation.settings.posting is Posting.LIVE:
        notes.broken(
            f"{host}: login",
            f"posting is live, but no password or token is set for {name}",
            "Set SIDENOTE_BOT_PASSWORD, or SIDENOTE_OAUTH to the four tokens of an owner-only consumer.",
        )
    else:
        notes.fine(f"{host}: login", f"{name} exists; a dry run does not log in")


def _block(host: str, account: Account, notes: Notes) -> None:
    name = f"{host}: block"
    if account.blockid is None:
        notes.fine(name, "not blocked")
        return
    why = f"by {account.blockedby}: {account.blockreason or 'no reason is given'}"
    if account.blockpartial:
        notes.warning(
            name,
            f"blocked from some pages {why}",
            f"Read Special:Log/block for User:{account.name}; the bot does not edit those pages.",
        )
        return
    notes.broken(
        name,
        f"the account is blocked {why}",
        f"Set SIDENOTE_POSTING=dry, resolve the reason for the block, then request unblocking on User talk:{account.name}.",
    )


def _rights(host: str, account: Account, signs_in: bool, notes: Notes) -> None:
    rights = set(account.rights)
    missing = [purpose for right, purpose in _NEEDED.items() if right not in rights]
    if missing:
        notes.broken(
            f"{host}: rights",
            f"the account lacks the right to: {', '.join(missing)}",
            "Grant the bot password “edit existing pages” and “create, edit, and move pages” at Special:BotPasswords; else ask an administrator.",
        )
    else:
        notes.fine(f"{host}: rights", f"it may {', '.join(_NEEDED.values())}")
    extra = sorted(rights & _NOT_NEEDED)
    if extra and signs_in:  # only a login can have too many rights
        extra_rights = f"this login also has the right to: {', '.join(extra)}"
        notes.warning(f"{host}: too many rights", extra_rights, _LESS)
    if "bot" in rights or "bot" in account.groups:
        notes.fine(f"{host}: bot flag", "granted")
    else:
        notes.warning(
            f"{host}: bot flag",
            "the account has no bot flag",
            "Ask for approval where the wiki grants it (on English Wikipedia: Wikipedia:Bots/Requests for approval). A trial, or edits in its own user space, need none.",
        )


def _pace(host: str, account: Account, pause_s: float, notes: Notes) -> None:
    limits = account.slowest("edit")
    if limits is None:
        notes.fine(f"{host}: edit rate", "unlimited for this account")
        return
    hits, seconds = limits
    seen = f"{counted(hits, 'edit')} allowed per {seconds} s; Sidenote makes one every {pause_s:g} s"
    if pause_s * hits >= seconds:
        notes.fine(f"{host}: edit rate", seen)
        return
    notes.warning(
        f"{host}: edit rate", seen, f"Set SIDENOTE_POSTING_PAUSE_S={seconds / hits:g}."
    )


def _deployer(installation: Installation, wiki: str, notes: Notes) -> None:
    name = f"{parse_address(wiki).host}: deploy_account"
    if not installation.settings.deploy_password.get_secret_value():
        notes.skipped(name, "no password is set, so nothing can be deployed from here")
        return
    question = {"meta": "userinfo", "uiprop": "blockinfo|groups|rights|ratelimits"}
    account = _answer(installation, wiki, Credentials.DEPLOYER, question).query.userinfo
    missing = [
        purpose
        for right, purpose in _NEEDED_TO_DEPLOY.items()
        if right not in set(account.rights)
    ]
    if missing:
        notes.broken(
            name,
            f"{account.name} lacks the right to: {', '.join(missing)}",
            "Grant its bot password “edit the MediaWiki namespace and sitewide JSON” and “edit sitewide CSS/JS”; the person must be an interface administrator.",
        )
    else:
        notes.fine(name, f"{account.name} may edit the interface")


async def _watchlist(installation: Installation, wiki: str, notes: Notes) -> None:
    lists = open_wiki_lists(installation.settings, wiki)
    titles = await lists.watchlist(most=1)
    notes.fine(
        f"{lists.wiki}: watchlist",
        "the token works" + ("" if titles else "; the watchlist is empty"),
    )


# Read from an hour ago, so that even a quiet feed sends something: each topic has a
# canary event about once an hour.
_BACK = timedelta(minutes=65)
_FIRST_EVENT_S = 12.0
_ANSWER_S = 12.0
_MAX_FRAME_BYTES = 1_000_000
_ADDRESS = "Check SIDENOTE_STREAM; for Wikimedia it is https://stream.wikimedia.org/v2/stream/."
_FEWER_LISTENERS = "Stop whatever else listens from here (another sidenote intake, another tool), or wait a minute; on Toolforge other tools may share the address."
_QUIET = "On a quiet wiki of your own, make an edit and try again; otherwise check SIDENOTE_STREAMS."


def feed_trials(installation: Installation) -> tuple[Trial, ...]:
    """Return the tests of the feed."""
    examine = partial(_listen, installation)
    return (Trial(Group.FEED, "feed", examine, _ADDRESS, limit_s=30, is_remote=True),)


async def _listen(installation: Installation, notes: Notes) -> None:
    settings = installation.settings
    stream = StreamSettings(
        settings.stream,
        settings.streams,
        user_agent(settings),
        answer_s=_ANSWER_S,
        settle_s=0.0,
    )
    start = Start(since=installation.now() - _BACK)
    message = f"{urlsplit(settings.stream).netloc}: {', '.join(settings.streams)}"
    try:
        async with EventStreams(stream) as feed, feed.connect(start) as connection:
            notes.fine("feed", f"{message}; connected, text/event-stream")
            framer, event = Framer(_MAX_FRAME_BYTES), b""
            async with asyncio.timeout(_FIRST_EVENT_S):
                while not event and (chunk := await connection.read()):
                    event = next(filter(_is_event, framer.feed(chunk)), b"")
    except TimeoutError:
        _nothing_yet(notes)
        return
    except TemporaryError as error:
        if notes.taken:  # it did connect, and the connection can be cut at any time
            notes.failed("first event", error, _QUIET, State.WARNING)
            return
        if not isinstance(error, TooManyStreamsError):
            raise
        # Our own intake may hold the connections for now; it reconnects by itself.
        notes.warning(
            "feed", f"{error}: it allows two connections per address", _FEWER_LISTENERS
        )
        return
    if event:
        kind = "a canary" if b'"canary"' in event else "an event"
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
