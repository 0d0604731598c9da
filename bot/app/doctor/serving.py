"""What readers use: the port, the URL of the panel, sign-in with OAuth, and the gadget."""

import asyncio
import errno
import socket
from collections.abc import Iterator, Mapping
from functools import partial

from bot.app.doctor.values import Group, Notes, Patient, Run, Trial, ask
from bot.app.doctor.wiki import wikis_of
from bot.app.wiring.wiki import open_wiki_lists, user_agent
from bot.report.words import counted
from bot.search.services.client import Request
from bot.wiki.address import parse_address
from bot.wiki.oauth import Grant, OAuthClient, WikiOAuth
from handlers.ports import PermanentError, TemporaryError

_PORT = (
    "Set SIDENOTE_SERVE_PORT to a free port (0 means any), or stop what listens there."
)
_PANEL = "Correct SIDENOTE_PANEL_ADDRESS, or the proxy in front of `sidenote serve`."
_OAUTH = "Correct SIDENOTE_OAUTH_CLIENTS and SIDENOTE_OAUTH_CLIENT_SECRETS to match Special:OAuthConsumerRegistration on the wiki."
_DEPLOY = "To see what differs: sidenote gadget deploy --dry-run. To update: the same without --dry-run."
_GADGETS = "MediaWiki:Gadgets-definition"  # holds the gadgets of others, too
_CODE, _VERIFIER = "sidenote-doctor", "x" * 43  # of a sign-in that nobody began
# What a wiki says of such a code, once it has taken the client.
_NOT_THE_CLIENT = ("invalid_grant", "invalid_request")
_SHOWN = 3


def trials(patient: Patient) -> tuple[Trial, ...]:
    """Return what is tried of serving."""
    return tuple(_trials(patient))


def _trials(patient: Patient) -> Iterator[Trial]:
    settings = patient.settings
    yield Trial(Group.SERVING, "port", partial(_port, patient), _PORT)
    if settings.panel_address:
        yield _remote("panel", partial(_panel, patient), _PANEL)
        if patient.gadget_pages is not None:
            gadget = partial(_gadget, patient)
            yield _remote(
                "gadget", gadget, _DEPLOY, after=parse_address(settings.wiki).host
            )
    else:
        yield Trial(Group.SERVING, "panel", _none, _PANEL)
    for host in settings.clients():
        yield _remote(f"{host}: OAuth", partial(_oauth, patient, host), _OAUTH)


def _remote(name: str, run: Run, remedy: str, after: str = "") -> Trial:
    return Trial(Group.SERVING, name, run, remedy, 25, after, is_remote=True)


async def _none(notes: Notes) -> None:
    notes.skipped(
        "panel", "no URL is set, so nobody can sign in and there is no gadget"
    )


async def _port(patient: Patient, notes: Notes) -> None:
    host, port = patient.settings.serve_host, patient.settings.serve_port
    where = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    if not port:
        notes.fine("port", "any free port")
        return
    try:
        await asyncio.to_thread(_bind, host, port)
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            why = (error.strerror or str(error)).lower()
            notes.broken(
                "port",
                f"cannot listen on {where} ({why})",
                "Set SIDENOTE_SERVE_HOST to an address of this machine, and SIDENOTE_SERVE_PORT to one above 1023.",
            )
            return
        if await _is_ours(patient, f"http://{_called(host)}:{port}"):
            notes.fine("port", f"Sidenote is already running on {where}")
        else:
            notes.broken("port", f"another program is using {where}", _PORT)
        return
    notes.fine("port", f"{where} is free")


def _called(host: str) -> str:
    """Return how an address that is listened on is called from here."""
    if host in {"0.0.0.0", "::"}:  # noqa: S104 - all of this machine's; not bound here
        return "[::1]" if ":" in host else "127.0.0.1"
    return f"[{host}]" if ":" in host else host


def _bind(host: str, port: int) -> None:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, port), family=family):
        pass


async def _is_ours(patient: Patient, address: str) -> bool:
    try:
        request = Request(f"{address}/healthz")
        answer = await ask(patient, "the server", request, timeout_s=3)
    except (PermanentError, TemporaryError):
        return False
    said = answer.json
    return isinstance(said, dict) and "is_well" in said


async def _panel(patient: Patient, notes: Notes) -> None:
    address = patient.settings.panel_address
    request = Request(f"{address}/healthz")
    answer = await ask(patient, "the panel", request, timeout_s=15)
    said = answer.json
    if isinstance(said, dict) and "is_well" in said:
        notes.fine("panel", f"{address} reaches Sidenote")
        return
    notes.warning(
        "panel",
        f"{address}/healthz answers {answer.status}, which is not Sidenote",
        "Start `sidenote serve` behind it. Before the first deployment this is normal. "
        + _PANEL,
    )


async def _oauth(patient: Patient, host: str, notes: Notes) -> None:
    """Sign in with a code that nobody was given: the wiki looks at the client first."""
    settings, name = patient.settings, f"{host}: OAuth"
    given = wikis_of(patient).get(host)
    if given is None:
        notes.broken(
            name,
            f"a client is set for {host}, which is not one of the wikis in the settings",
            "Add it to SIDENOTE_WIKIS, or remove its client from SIDENOTE_OAUTH_CLIENTS.",
        )
        return
    wiki = WikiOAuth(parse_address(given), user_agent=user_agent(settings))
    grant = Grant(_CODE, _VERIFIER, f"{settings.panel_address}/oauth/callback")
    try:
        await wiki.who(OAuthClient(*settings.clients()[host]), grant)
    except PermanentError as error:
        if not any(word in str(error) for word in _NOT_THE_CLIENT):
            raise PermanentError(str(error).partition(";")[0]) from error
    except TemporaryError as error:  # its remedy is for those who sign in
        raise PermanentError(str(error).partition(";")[0]) from error
    notes.fine(name, "the wiki accepts the client")


async def _gadget(patient: Patient, notes: Notes) -> None:
    settings = patient.settings
    assert patient.gadget_pages is not None  # noqa: S101 - narrows the type
    wanted = await asyncio.to_thread(
        patient.gadget_pages,
        settings.panel_address,
        settings.bot_account or "SidenoteBot",
    )
    lists = open_wiki_lists(settings, settings.wiki)
    found = await lists.texts_of(wanted)
    there = {title: page.text for title, page in found.items()}
    _compare(wanted, there, lists.wiki, notes)


def _compare(
    wanted: Mapping[str, str], there: Mapping[str, str], wiki: str, notes: Notes
) -> None:
    # Only ever warnings: right before an update is deployed they are to be expected.
    own = [title for title in wanted if title != _GADGETS]
    missing = [title for title in own if title not in there]
    other = [t for t in own if t in there and there[t].rstrip() != wanted[t].rstrip()]
    if len(missing) == len(own):
        notes.skipped("gadget", f"it is not on {wiki}; {_DEPLOY}")
        return
    if missing:
        notes.warning("gadget", f"{wiki} lacks {', '.join(missing[:_SHOWN])}", _DEPLOY)
    if other:
        message = f"{counted(len(other), 'page')} of {wiki} {'differs' if len(other) == 1 else 'differ'} from this version"
        notes.warning("gadget", f"{message}: {', '.join(other[:_SHOWN])}", _DEPLOY)
    if _GADGETS in wanted and "sidenote" not in there.get(_GADGETS, ""):
        notes.warning("gadget", f"{_GADGETS} does not list it", _DEPLOY)
    elif not missing and not other:
        notes.fine("gadget", f"{counted(len(own), 'page')} on {wiki}, up to date")
