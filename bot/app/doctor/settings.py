"""Settings that contradict each other or have no effect, and secrets that others can read."""

import os
import re
import stat
from collections.abc import Callable
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

from bot.app.doctor.trial import Group, Installation, Notes, Trial, in_thread
from bot.app.doctor.wiki import wikis_of
from bot.daemon.web.guard import is_loopback
from bot.report.words import counted
from bot.settings import Posting, Settings
from bot.wiki.address import parse_address
from bot.wiki.keys import LEAST_SECRET_BYTES
from handlers.ports import PermanentError

_WIKIMEDIA = [
    "wikipedia.org",
    "wiktionary.org",
    "wikidata.org",
    "wikimedia.org",
    "wikinews.org",
    "wikisource.org",
    "wikiquote.org",
    "wikibooks.org",
    "wikiversity.org",
    "wikivoyage.org",
    "mediawiki.org",
]
# Variables of ours that are not settings.
_OTHER_VARIABLES = frozenset(
    {"SIDENOTE_OAUTH", "SIDENOTE_SETTINGS"}
    | {"SIDENOTE_WIKI_FAMILY", "SIDENOTE_WIKI_LANGUAGE"}
)
_OURS = "SIDENOTE_"
_OAUTH_TOKENS = 4
_FIX = "Correct the settings; `sidenote settings` shows all of them."


def trials(installation: Installation) -> tuple[Trial, ...]:
    """Return the tests of the settings."""
    examinations = (("settings", _examine), ("files of settings", note_files))
    return tuple(
        Trial(Group.SETTINGS, name, in_thread(partial(examine, installation)), _FIX)
        for name, examine in examinations
    )


def _examine(installation: Installation, notes: Notes) -> None:
    for rule in _RULES:
        try:
            rule(installation, notes)
        except PermanentError as error:
            notes.failed("settings", error, _FIX)
    if not notes.taken:
        own = len(installation.settings.model_fields_set)
        notes.fine("settings", f"{own} set; both are needed")


def _is_wikimedia(host: str) -> bool:
    """Return whether a wiki is one of Wikimedia's."""
    return any(host == one or host.endswith(f".{one}") for one in _WIKIMEDIA)


def _contact(installation: Installation, notes: Notes) -> None:
    contact = installation.settings.contact
    if contact and ("@" in contact or ":" in contact):
        return
    seen = (
        f"“{contact}” is neither an e-mail address nor a user page"
        if contact
        else "not set"
    )
    remedy = "Set SIDENOTE_CONTACT to an e-mail address or your user page: it is sent with every request, and Wikimedia blocks programs without one."
    is_required = any(map(_is_wikimedia, wikis_of(installation)))
    note = notes.broken if is_required else notes.warning
    note("contact", seen, remedy)


def _posting(installation: Installation, notes: Notes) -> None:
    settings = installation.settings
    is_live = settings.posting is Posting.LIVE
    if is_live and not settings.bot_account:
        notes.broken(
            "posting",
            "posting is live, but no account is set",
            "Set SIDENOTE_BOT_ACCOUNT and SIDENOTE_BOT_PASSWORD, or SIDENOTE_POSTING=dry.",
        )
    secrets = settings.bot_secret.get_secret_value().split()
    if settings.bot_account and not secrets:
        notes.broken(
            "bot_secret",
            "not set, so the bot could not recognise its own posts",
            "Set SIDENOTE_BOT_SECRET to the output of openssl rand -hex 32. Keep it: without it the bot cannot recognise its old posts.",
        )
    if any(len(one.encode()) < LEAST_SECRET_BYTES for one in secrets):
        notes.broken(
            "bot_secret",
            f"one is shorter than {LEAST_SECRET_BYTES} bytes",
            "Set SIDENOTE_BOT_SECRET to the output of openssl rand -hex 32.",
        )
    login = settings.bot_login or settings.bot_account
    if settings.bot_password.get_secret_value() and "@" not in login:
        notes.warning(
            "bot_login",
            "the main password of the account is used, which has all its rights",
            "Create a bot password at Special:BotPasswords and set SIDENOTE_BOT_LOGIN to its name, such as ExampleBot@sidenote.",
        )
    if is_live and not all((settings.posts_per_page, settings.posts_per_wiki)):
        notes.warning(
            "limits",
            "a limit of posts is 0, so nothing is posted on talk pages",
            "Set SIDENOTE_POSTS_PER_PAGE and …_PER_WIKI above 0, unless that is intended.",
        )


def _oauth(installation: Installation, notes: Notes) -> None:
    tokens = installation.environment.get("SIDENOTE_OAUTH", "").split()
    if not tokens:
        return
    if len(tokens) != _OAUTH_TOKENS:
        notes.broken(
            "SIDENOTE_OAUTH",
            f"it has {counted(len(tokens), 'part')} instead of four",
            "Separate four tokens with spaces: consumer token, consumer secret, access token, access secret.",
        )
    if installation.settings.bot_password.get_secret_value():
        notes.warning(
            "SIDENOTE_OAUTH",
            "both it and SIDENOTE_BOT_PASSWORD are set",
            "Unset one of them, so that it is clear which one is used.",
        )


def _dry_run_page(installation: Installation, notes: Notes) -> None:
    settings = installation.settings
    if not settings.dry_run_page:
        return
    if settings.posting is Posting.LIVE:
        notes.warning(
            "dry_run_page",
            "it has no effect while posting is live",
            "Unset SIDENOTE_DRY_RUN_PAGE, or set SIDENOTE_POSTING=dry.",
        )
    elif not (
        settings.bot_password.get_secret_value()
        or installation.environment.get("SIDENOTE_OAUTH")
    ):
        notes.warning(
            "dry_run_page",
            "it cannot be written without a password or OAuth tokens",
            "Set SIDENOTE_BOT_PASSWORD or SIDENOTE_OAUTH, or unset SIDENOTE_DRY_RUN_PAGE.",
        )


def _deploying(installation: Installation, notes: Notes) -> None:
    settings = installation.settings
    if settings.deploy_account and settings.deploy_account == settings.bot_account:
        notes.broken(
            "deploy_account",
            "it is the bot's account, which must not edit the interface",
            "Set SIDENOTE_DEPLOY_ACCOUNT to the account of an interface administrator.",
        )


def _panel(installation: Installation, notes: Notes) -> None:
    settings = installation.settings
    clients = settings.clients()
    left = [
        host
        for host in wikis_of(installation)
        if host not in clients and host not in settings.proof_wikis
    ]
    if settings.panel_address and left:
        notes.warning(
            "oauth_clients",
            f"none for {', '.join(left)}, so readers there cannot sign in to the panel",
            "Register an OAuth 2 client for each wiki and set SIDENOTE_OAUTH_CLIENTS. For a wiki without OAuth, read about SIDENOTE_PROOF_WIKIS in the operator's guide.",
        )
    proving = [host for host in settings.proof_wikis if host not in clients]
    if strangers := [host for host in proving if not _is_on_this_machine(host)]:
        notes.warning(
            "proof_wikis",
            f"readers of {', '.join(strangers)} sign in by an edit, which is only as safe as every form of the wiki that a link can fill in",
            "Register an OAuth 2 client there and set SIDENOTE_OAUTH_CLIENTS, unless the wiki has no OAuth.",
        )
    if clients and not settings.panel_address:
        notes.broken(
            "panel_address",
            "OAuth clients are set, but no URL to return to",
            "Set SIDENOTE_PANEL_ADDRESS, such as https://sidenote.toolforge.org.",
        )
    if "serve" not in installation.roles:
        return
    if not is_loopback(settings.serve_host) and not settings.panel_address:
        notes.warning(
            "serve_host",
            f"it listens on {settings.serve_host}: anyone who can reach that address sees everything except secrets",
            "Set SIDENOTE_SERVE_HOST=127.0.0.1, unless it is behind a proxy.",
        )
    public = settings.panel_address.startswith("https:")
    if public and not settings.gadget_trusts_proxy and settings.gadget_reads:
        notes.warning(
            "gadget_trusts_proxy",
            "all readers share the rate limit of the proxy",
            "Set SIDENOTE_GADGET_TRUSTS_PROXY=true if the proxy passes on the address of the reader, otherwise SIDENOTE_GADGET_READS=0.",
        )


def _is_on_this_machine(host: str) -> bool:
    return is_loopback(urlsplit(f"//{host}").hostname or "")


def _places(installation: Installation, notes: Notes) -> None:
    settings = installation.settings
    stream = urlsplit(settings.stream).hostname or ""
    strangers = [host for host in wikis_of(installation) if not _is_wikimedia(host)]
    if stream == "stream.wikimedia.org" and strangers:
        notes.broken(
            "stream",
            f"the feed of Wikimedia does not cover {', '.join(strangers)}",
            "Set SIDENOTE_STREAM to the feed of that wiki.",
        )
    hosts = [parse_address(each).host for each in (settings.wiki, *settings.wikis)]
    if len(hosts) != len(set(hosts)):
        notes.warning(
            "wikis",
            "one is listed twice",
            "List each once in SIDENOTE_WIKI and SIDENOTE_WIKIS.",
        )
    on_toolforge = "TOOL_TOOLSDB_USER" in installation.environment
    if on_toolforge and settings.database_url.startswith("sqlite"):
        notes.broken(
            "database",
            "a file, which is lost with its container on Toolforge",
            "Set SIDENOTE_DATABASE=toolsdb.",
        )


def _pairs(installation: Installation, notes: Notes) -> None:
    settings = installation.settings
    if settings.draft_model and not (
        settings.draft_model_address or settings.language_model_address
    ):
        notes.broken(
            "draft_model",
            "its name is set, but not its server",
            "Set SIDENOTE_DRAFT_MODEL_ADDRESS.",
        )
    if settings.lag_limit_s <= settings.stream_silence_s:
        notes.warning(
            "stream_silence_s",
            "the feed counts as late before a silence is noticed",
            f"Set SIDENOTE_STREAM_SILENCE_S below {settings.lag_limit_s:g}.",
        )
    if settings.source_timeout_s < settings.extraction_timeout_s:
        notes.warning(
            "source_timeout_s",
            f"extracting the text of a source alone may take {settings.extraction_timeout_s:g} s",
            "Set SIDENOTE_SOURCE_TIMEOUT_S above that.",
        )


def _variables(installation: Installation, notes: Notes) -> None:
    known = {f"{_OURS}{name.upper()}" for name in Settings.model_fields}
    for name in sorted(installation.environment):
        if name.startswith(_OURS) and name not in known | _OTHER_VARIABLES:
            notes.warning(
                "environment",
                f"{name[:60]} is not a setting and has no effect",
                "Unset it, or find the right name with `sidenote settings`.",
            )


_RULES: tuple[Callable[[Installation, Notes], None], ...] = (
    _contact,
    _posting,
    _oauth,
    _dry_run_page,
    _deploying,
    _panel,
    _places,
    _pairs,
    _variables,
)


# Files that control the bot: who else can write them, and whether they hold secrets.

_ACCOUNT_FILE, _HOME = "user-config.py", "PYWIKIBOT_DIR"
_OF_OTHERS_TO_WRITE = stat.S_IWGRP | stat.S_IWOTH
_OF_OTHERS_TO_READ = stat.S_IRGRP | stat.S_IROTH
_MAX_BYTES = 100_000
# A token or a password as a literal; one read from the environment is fine.
_LITERAL = re.compile(
    r"authenticate\s*\[[^\]]*\]\s*=\s*\(?\s*['\"][^'\"]{8,}|password\w*\s*=\s*['\"][^'\"]+",
    re.IGNORECASE,
)


def note_files(installation: Installation, notes: Notes) -> None:
    """Report what is wrong with the settings file and Pywikibot's account file."""
    if installation.settings_file is not None:
        _settings_file(installation, installation.settings_file, notes)
    _account_file(installation, notes)


def _settings_file(installation: Installation, file: Path, notes: Notes) -> None:
    name, mode = "settings file", file.stat().st_mode
    if mode & _OF_OTHERS_TO_WRITE:
        # The group may be the maintainers of one tool, as on Toolforge, or everyone.
        is_open = bool(mode & stat.S_IWOTH)
        note = notes.broken if is_open else notes.warning
        whom = "everybody" if is_open else "your group"
        note(
            name,
            f"{file} can be changed by {whom}, who could control Sidenote through it",
            f"Run: chmod go-w {file}",
        )
        return
    if _holds_password(installation, file):
        others = ", and other users can read it" if mode & _OF_OTHERS_TO_READ else ""
        notes.warning(
            name,
            f"the password of the database is in {file}{others}",
            "Remove the line and set SIDENOTE_DATABASE in the environment.",
        )
        return
    notes.fine(name, f"{file}: only you can change it, and it contains no secret")


def _holds_password(installation: Installation, file: Path) -> bool:
    try:
        password = make_url(installation.settings.database_url).password
    except (ArgumentError, ValueError):
        return False
    return bool(password) and str(password) in file.read_text("utf-8", "replace")


def _account_file(installation: Installation, notes: Notes) -> None:
    """Test the file that Pywikibot runs as a program when the bot logs in."""
    home = installation.environment.get(_HOME)
    file = (Path(home) if home else Path()) / _ACCOUNT_FILE
    if not file.is_file():
        if installation.environment.get("SIDENOTE_OAUTH"):
            notes.broken(
                _ACCOUNT_FILE,
                f"not found in {file.parent.absolute()}, so SIDENOTE_OAUTH is not read",
                "Start Sidenote in the folder with its user-config.py.",
            )
        return
    if _is_skipped(installation, file, notes):
        return
    if _LITERAL.search(file.read_text("utf-8", "replace")[:_MAX_BYTES]):
        notes.warning(
            _ACCOUNT_FILE,
            f"there is a secret in {file.absolute()}",
            "Remove it and set SIDENOTE_OAUTH (four tokens) or SIDENOTE_BOT_PASSWORD in the environment.",
        )
        return
    notes.fine(_ACCOUNT_FILE, f"{file.absolute()}: only you can change it")


def _is_skipped(installation: Installation, file: Path, notes: Notes) -> bool:
    """Report what makes Pywikibot refuse the file, by its own rules."""
    about, where = file.stat(), file.absolute()
    needed = bool(installation.environment.get("SIDENOTE_OAUTH"))
    note = notes.broken if needed else notes.warning
    if about.st_uid not in {0, os.getuid()}:
        note(
            _ACCOUNT_FILE,
            f"{where} belongs to another user, so Pywikibot ignores it"
            + (" and SIDENOTE_OAUTH is not read" if needed else ""),
            f"Copy it to a folder of your own (cp {where} DIR) and set {_HOME} to that folder; a bot password does not need this file.",
        )
        return True
    if about.st_mode & stat.S_IWOTH:
        notes.broken(
            _ACCOUNT_FILE,
            f"{where} can be changed by everyone, so Pywikibot ignores it",
            f"Run: chmod go-w {where}",
        )
        return True
    if about.st_mode & stat.S_IWGRP:
        notes.warning(
            _ACCOUNT_FILE,
            f"{where} is executed at each login, and your group can change it",
            f"Run: chmod go-w {where}",
        )
        return True
    return False
