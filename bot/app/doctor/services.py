"""Services: the web, search services, OpenSearch, the language model, and what readers use."""

import asyncio
import errno
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

from pydantic import BaseModel

from bot.app.doctor.trial import (
    Group,
    Installation,
    Notes,
    Run,
    State,
    Trial,
    ask,
    in_thread,
)
from bot.app.doctor.wiki import wikis_of
from bot.app.wiring.language_model import allowance, open_model
from bot.app.wiring.searches import NotSetUpError, open_opensearch, open_services
from bot.app.wiring.sources import make_extractor, open_wall, open_web
from bot.app.wiring.wiki import open_wiki_lists, user_agent
from bot.daemon.web.guard import is_loopback
from bot.report.words import counted
from bot.search.services.client import Answer, Request
from bot.settings import Settings
from bot.settings.sources import SearchName, SourcesRead
from bot.sources.address_wall import AddressWall, ForbiddenAddressError
from bot.wiki.address import parse_address
from bot.wiki.oauth import CodeRefusedError, Grant, OAuthClient, WikiOAuth
from handlers.model import Query, Source, SourceForm, SourceOutcome
from handlers.ports import (
    Metered,
    ModelRequest,
    ModelSilence,
    PermanentError,
    Search,
    TemporaryError,
)

_INTERNAL = (
    "http://127.0.0.1/",
    "http://localhost/",
    "http://[::1]/",
    "http://10.0.0.1/",
    "http://192.168.0.1/",
    "http://169.254.169.254/latest/meta-data/",
    "http://[::ffff:127.0.0.1]/",
    "http://tools.db.svc.wikimedia.cloud/",
    "http://sidenote.toolforge.org/",
    "http://185.15.56.11/",
    "http://2130706433/",
)
_NAMES = "Check the name, and the DNS of this machine (on Linux: /etc/resolv.conf)."
_FETCH = "Check SIDENOTE_CONTACT, and that this machine can reach the web directly (no proxy is used)."
_ARCHIVE = (
    "Check SIDENOTE_ARCHIVE_SERVICE; without it, pages that are gone cannot be checked."
)
_MACHINE = frozenset({SourceOutcome.UNREACHABLE, SourceOutcome.INCOMPLETE})


def web_trials(installation: Installation) -> Iterator[Trial]:
    """Yield the tests of the web."""
    yield Trial(Group.WEB, "address wall", partial(_wall, installation), _NAMES)
    yield _web_trial("names", partial(_names, installation), _NAMES, 10)
    yield _web_trial("reading a page", partial(_source, installation), _FETCH, 40)
    yield _web_trial("archive", partial(_archive, installation), _ARCHIVE, 20)


def _web_trial(name: str, run: Run, remedy: str, limit_s: float) -> Trial:
    return Trial(Group.WEB, name, run, remedy, limit_s, is_remote=True)


async def _wall(installation: Installation, notes: Notes) -> None:
    """Check that the address wall blocks what no citation may make us request."""
    wall = open_wall(installation.settings)
    passed = [
        urlsplit(address).netloc for address in _INTERNAL if _passes(wall, address)
    ]
    own = [
        each
        for each in installation.own_addresses()
        if _passes(wall, f"http://[{each}]/" if ":" in each else f"http://{each}/")
    ]
    open_to = installation.settings.internal_addresses
    close = "Remove from SIDENOTE_INTERNAL_ADDRESSES whatever is not your own wiki, because any article could cite it."
    if passed:
        notes.broken(
            "address wall", f"cited addresses may reach {', '.join(passed)}", close
        )
    elif open_to and not _is_own(installation):
        notes.warning("address wall", f"open to {', '.join(open_to)}", close)
    elif own:
        notes.warning(
            "address wall",
            f"open to this machine's own public address, {', '.join(own)}",
            f"Add to SIDENOTE_DENIED_NETWORKS: {', '.join(own)}. Its firewall does not apply from inside.",
        )
    else:
        message = f"{len(_INTERNAL)} internal addresses tried, all refused"
        notes.fine(
            "address wall",
            message + (f"; open to {', '.join(open_to)}" if open_to else ""),
        )


def _passes(wall: AddressWall, address: str) -> bool:
    try:
        wall.check_url(address)
    except ForbiddenAddressError:
        return False
    return True


def _is_own(installation: Installation) -> bool:
    """Return whether the wiki itself has an internal address."""
    host = parse_address(installation.settings.wiki).host
    return host in installation.settings.internal_addresses


async def _names(installation: Installation, notes: Notes) -> None:
    settings = installation.settings
    hosts = {
        host: None
        for address in (
            *(f"//{host}" for host in wikis_of(installation)),
            settings.stream,
            settings.archive_service,
        )
        if (host := urlsplit(address).hostname)
    }
    loop = asyncio.get_running_loop()
    lookup_notes = (
        loop.getaddrinfo(host, 443, type=socket.SOCK_STREAM) for host in hosts
    )
    found = await asyncio.gather(*lookup_notes, return_exceptions=True)
    lost = [
        host
        for host, answer in zip(hosts, found, strict=True)
        if isinstance(answer, BaseException)
    ]
    if lost:
        notes.broken("names", f"no IP address for {', '.join(lost)}", _NAMES)
    else:
        notes.fine("names", f"found: {', '.join(hosts)}")


async def _source(installation: Installation, notes: Notes) -> None:
    """Read a page of the wiki as if it were cited: robots.txt, the wall, the extractor."""
    settings = installation.settings
    if (
        settings.sources_read is SourcesRead.ELSEWHERE
        and "read" not in installation.roles
    ):
        notes.skipped("reading a page", "done by the part “read”, elsewhere")
        return
    address = parse_address(settings.wiki)
    url = f"{address.scheme}://{address.host}/wiki/"
    source = Source(SourceForm.URL, url, url=url)
    with TemporaryDirectory(prefix="sidenote-", ignore_cleanup_errors=True) as folder:
        alone = settings.model_copy(update={"data_dir": Path(folder)})
        async with (
            make_extractor(alone) as extractor,
            open_web(alone, extractor) as reader,
        ):
            fetch = await reader.read(source)
    if fetch.document is not None:
        notes.fine("reading a page", f"{fetch.url or url}: read, and text extracted")
    elif fetch.outcome is SourceOutcome.FORBIDDEN_ADDRESS:
        notes.warning(
            "reading a page",
            f"{url}: {fetch.detail}",
            f"If articles cite {address.host} itself, set SIDENOTE_INTERNAL_ADDRESSES={address.host}.",
        )
    else:
        note = notes.broken if fetch.outcome in _MACHINE else notes.warning
        note(
            "reading a page",
            f"{url}: {fetch.outcome.value} ({fetch.detail})",
            _FETCH,
        )


async def _archive(installation: Installation, notes: Notes) -> None:
    settings = installation.settings
    request = Request(settings.archive_service, {"url": "example.com"})
    try:
        answer = await ask(installation, "the archive service", request, timeout_s=15)
    except (PermanentError, TemporaryError) as error:  # common; checks work without it
        notes.failed("archive", error, _ARCHIVE, State.WARNING)
        return
    content = answer.json
    if not isinstance(content, dict) or "archived_snapshots" not in content:
        seen = f"{settings.archive_service} answered {answer.status}, unlike the Wayback availability service"
        notes.warning("archive", seen, _ARCHIVE)
        return
    notes.fine("archive", f"{urlsplit(settings.archive_service).netloc} answers")


# Each search service in the settings: its key, one query, today's quota; OpenSearch.

_QUESTION = Query("Wikipedia is an encyclopedia that anybody can edit", "Wikipedia")
_MOST_S = 40.0
_TURN_S = 16.0  # a service may make us wait for our turn
_NEARLY = 0.9  # of the day's quota


def search_trials(installation: Installation) -> Iterator[Trial]:
    """Yield the tests of the searches."""
    settings = installation.settings
    limit_s = min(settings.search_timeout_s + _TURN_S, _MOST_S)
    for name in (name for group in settings.search_order for name in group):
        examine = partial(_ask_search, installation, name)
        remedy = f"Remove {name.value} from SIDENOTE_SEARCHES, or try again later."
        yield Trial(
            Group.SEARCHES, name.value, examine, remedy, limit_s, is_remote=True
        )


async def _ask_search(
    installation: Installation, name: SearchName, notes: Notes
) -> None:
    settings = installation.settings
    try:
        with _data_folder(settings) as folder:
            own = settings.model_copy(update={"data_dir": folder})
            async with open_services(own, name.value) as (search,):
                found = await search.search(_QUESTION, limit=3)
                spent, quota = _quota(search)
    except TemporaryError as error:  # other services take over, or it is retried
        remedy = f"Try again later; if it persists, remove {name.value} from SIDENOTE_SEARCHES."
        notes.failed(name.value, error, remedy, State.WARNING)
        return
    except NotSetUpError as error:
        if (
            "searches" not in settings.model_fields_set
        ):  # those that are there by default
            notes.skipped(name.value, f"not used; to use it, set {error.missing}")
            return
        notes.broken(
            name.value,
            "it is in SIDENOTE_SEARCHES but not set up, so it is not used",
            f"Set {error.missing}, or remove {name.value} from SIDENOTE_SEARCHES.",
        )
        return
    answered = f"answered with {counted(len(found), 'result')}"
    if spent >= _NEARLY:
        notes.warning(
            name.value,
            f"{answered}; {quota}",
            "Raise SIDENOTE_SEARCH_QUOTAS, if your plan allows more.",
        )
    else:
        notes.fine(name.value, f"{answered}{quota and '; '}{quota}")


@contextmanager
def _data_folder(settings: Settings) -> Iterator[Path]:
    """Yield where the day's requests are counted; a missing file is not created.

    The doctor may be run by another user than the one the folder will belong to.
    """
    if settings.data_dir.exists():
        yield settings.data_dir
        return
    with TemporaryDirectory(prefix="sidenote-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def _quota(search: Search) -> tuple[float, str]:
    """Return the share of the day's requests that is used, and the count in words."""
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
_CLUSTER_S = 12.0


def opensearch_trials(installation: Installation) -> tuple[Trial, ...]:
    """Return the tests of OpenSearch."""
    if not installation.settings.opensearch_address:
        return (Trial(Group.OPENSEARCH, "OpenSearch", _no_cluster, _SETTING),)
    examine = in_thread(partial(_examine_index, installation))
    return (Trial(Group.OPENSEARCH, "OpenSearch", examine, _SETTING, is_remote=True),)


async def _no_cluster(notes: Notes) -> None:
    notes.skipped("OpenSearch", "not set, and not needed")


def _examine_index(installation: Installation, notes: Notes) -> None:
    from bot.search.opensearch import NoIndexError

    settings = installation.settings
    with open_opensearch(settings, timeout_s=_CLUSTER_S) as cluster:
        try:
            has_vectors = cluster.has_vectors()
        except NoIndexError as error:
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


# The language model: whether it answers, accepts our key and writes JSON, and its price.

_MODEL_S = 30.0
_WITHOUT_MODEL = "Check SIDENOTE_LANGUAGE_MODEL_ADDRESS; without the model, doubtful claims stay doubtful."
_INSTRUCTIONS = (
    "This is a test of the connection. Answer with the number of legs that a horse has."
)
_SHOWN = 5


class Legs(BaseModel):
    """What we ask the model for."""

    legs: int


@dataclass(frozen=True, slots=True)
class _Model:
    what: str
    address: str
    name: str
    key: str


def language_model_trials(installation: Installation) -> Iterator[Trial]:
    """Yield the tests of the language models."""
    settings = installation.settings
    if not settings.language_model_address:
        yield Trial(Group.LANGUAGE_MODEL, "language model", _none, _WITHOUT_MODEL)
    for model in _models(settings):
        ask = partial(_ask, installation, model)
        listed = partial(_listed, installation, model)
        trial = partial(
            Trial, Group.LANGUAGE_MODEL, remedy=_WITHOUT_MODEL, is_remote=True
        )
        yield trial(model.what, ask, limit_s=_MODEL_S + 5)
        yield trial(f"{model.what}: list", listed, after=model.what)
    if settings.language_model_address:
        cost = partial(_cost, installation)
        yield Trial(Group.LANGUAGE_MODEL, "cost", cost, _WITHOUT_MODEL)


def _models(settings: Settings) -> Iterator[_Model]:
    address, key = settings.language_model_address, settings.language_model_key
    if address:
        name = settings.language_model_name
        yield _Model("language model", address, name, key.get_secret_value())
    if settings.draft_model:
        place = settings.draft_model_address or address
        is_same = urlsplit(place)[:2] == urlsplit(address)[:2]
        secret = key.get_secret_value() if is_same else ""
        yield _Model("model of drafts", place, settings.draft_model, secret)


async def _none(notes: Notes) -> None:
    notes.skipped("language model", "not set, and not needed")


async def _ask(installation: Installation, model: _Model, notes: Notes) -> None:
    settings = installation.settings
    question = ModelRequest(_INSTRUCTIONS, (), Legs)
    async with open_model(
        settings, model.address, model.name, model.key, test_s=_MODEL_S
    ) as chat:
        reply = await chat.ask(question)
    where = urlsplit(model.address).netloc
    if isinstance(reply, ModelSilence):
        notes.warning(
            model.what,
            f"{model.name} at {where} gave an unusable answer: {reply.detail}",
            "Allow longer answers (SIDENOTE_LANGUAGE_MODEL_OUTPUT_TOKENS), or choose another model.",
        )
        return
    use = reply.use
    notes.fine(
        model.what,
        f"{model.name} at {where} answered in JSON ({use.input_tokens} + {use.output_tokens} tokens)",
    )


async def _listed(installation: Installation, model: _Model, notes: Notes) -> None:
    """Look at the server's list of models; many servers have none."""
    headers = {"Authorization": f"Bearer {model.key}"} if model.key else {}
    request = Request(
        f"{model.address.rstrip('/')}/models", {}, headers, secret=model.key
    )
    name = f"{model.what}: list"
    try:
        content = (await ask(installation, model.what, request, timeout_s=10)).json
    except (PermanentError, TemporaryError):
        content = None
    data = content.get("data") if isinstance(content, dict) else None
    if not isinstance(data, list):
        notes.skipped(name, "the server lists no models")
        return
    ids = [str(each.get("id")) for each in data if isinstance(each, dict)]
    if model.name in ids:
        notes.fine(name, f"{model.name} is listed")
        return
    notes.warning(
        name,
        f"{model.name} is not among the models listed: {', '.join(ids[:_SHOWN])}",
        "Set SIDENOTE_LANGUAGE_MODEL_NAME to the exact name.",
    )


async def _cost(installation: Installation, notes: Notes) -> None:
    settings = installation.settings
    price_in = settings.language_model_input_price
    price_out = settings.language_model_output_price
    budget, calls = settings.language_model_budget, settings.language_model_calls
    daily = allowance(settings)
    host = urlsplit(settings.language_model_address).hostname or ""
    if not (calls and daily.calls):
        notes.warning(
            "cost",
            "the limit of requests is 0",
            "Set SIDENOTE_LANGUAGE_MODEL_CALLS and …_DAILY_CALLS above 0.",
        )
    elif not (price_in or price_out):
        seen = f"no price is set, so spending is limited only by {calls:,} requests per run and {daily.calls:,} per day of the daemon"
        if is_loopback(host):
            notes.fine("cost", seen)
            return
        notes.warning(
            "cost",
            seen,
            "If the server charges money, set SIDENOTE_LANGUAGE_MODEL_INPUT_PRICE and …_OUTPUT_PRICE.",
        )
    elif not (budget and daily.money):
        notes.warning(
            "cost",
            "the budget is 0",
            "Set SIDENOTE_LANGUAGE_MODEL_BUDGET and …_DAILY_BUDGET above 0.",
        )
    else:
        limits = f"{budget} and {calls:,} requests per run, {daily.money} and {daily.calls:,} requests per day of the daemon; {price_in} and {price_out} per million tokens"
        notes.fine("cost", limits)


# What readers use: the port, the URL of the panel, sign-in with OAuth, and the gadget.

_PORT = (
    "Set SIDENOTE_SERVE_PORT to a free port (0 means any), or stop what listens there."
)
_PANEL = "Correct SIDENOTE_PANEL_ADDRESS, or the proxy in front of `sidenote serve`."
_OAUTH = "Correct SIDENOTE_OAUTH_CLIENTS and SIDENOTE_OAUTH_CLIENT_SECRETS to match Special:OAuthConsumerRegistration on the wiki."
_DEPLOY = "To see what differs: sidenote gadget deploy --dry-run. To update: the same without --dry-run."
_GADGETS = "MediaWiki:Gadgets-definition"  # lists other gadgets, too
_CODE, _VERIFIER = "sidenote-doctor", "x" * 43  # of a sign-in that nobody started
# The wiki's answer to such a code, once it has accepted the client.
_PAGES_SHOWN = 3


def serving_trials(installation: Installation) -> Iterator[Trial]:
    """Yield the tests of what readers use."""
    settings = installation.settings
    yield Trial(Group.SERVING, "port", partial(_port, installation), _PORT)
    if settings.panel_address:
        yield _serving_trial("panel", partial(_panel, installation), _PANEL)
        if installation.gadget_pages is not None:
            gadget = partial(_gadget, installation)
            yield _serving_trial(
                "gadget", gadget, _DEPLOY, after=parse_address(settings.wiki).host
            )
    else:
        yield Trial(Group.SERVING, "panel", _no_panel, _PANEL)
    for host in settings.clients():
        yield _serving_trial(
            f"{host}: OAuth", partial(_oauth, installation, host), _OAUTH
        )


def _serving_trial(name: str, run: Run, remedy: str, after: str = "") -> Trial:
    return Trial(Group.SERVING, name, run, remedy, 25, after, is_remote=True)


async def _no_panel(notes: Notes) -> None:
    notes.skipped(
        "panel", "no URL is set, so nobody can sign in and there is no gadget"
    )


async def _port(installation: Installation, notes: Notes) -> None:
    host, port = installation.settings.serve_host, installation.settings.serve_port
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
        if await _is_ours(installation, f"http://{_called(host)}:{port}"):
            notes.fine("port", f"Sidenote is already running on {where}")
        else:
            notes.broken("port", f"another program is using {where}", _PORT)
        return
    notes.fine("port", f"{where} is free")


def _called(host: str) -> str:
    """Return the address at which this machine reaches an address we listen on."""
    if host in {"0.0.0.0", "::"}:  # noqa: S104 - all of this machine's; not bound here
        return "[::1]" if ":" in host else "127.0.0.1"
    return f"[{host}]" if ":" in host else host


def _bind(host: str, port: int) -> None:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, port), family=family):
        pass


async def _is_ours(installation: Installation, address: str) -> bool:
    try:
        request = Request(f"{address}/healthz")
        answer = await ask(installation, "the server", request, timeout_s=3)
    except (PermanentError, TemporaryError):
        return False
    return _is_health(answer)


def _is_health(answer: Answer) -> bool:
    return isinstance(answer.json, dict) and "is_well" in answer.json


async def _panel(installation: Installation, notes: Notes) -> None:
    address = installation.settings.panel_address
    request = Request(f"{address}/healthz")
    answer = await ask(installation, "the panel", request, timeout_s=15)
    if _is_health(answer):
        notes.fine("panel", f"{address} reaches Sidenote")
        return
    notes.warning(
        "panel",
        f"{address}/healthz answers {answer.status}, which is not Sidenote",
        "Start `sidenote serve` behind it. Before the first deployment this is normal. "
        + _PANEL,
    )


async def _oauth(installation: Installation, host: str, notes: Notes) -> None:
    """Sign in with a made-up code: the wiki checks the client first."""
    settings, name = installation.settings, f"{host}: OAuth"
    given = wikis_of(installation).get(host)
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
    except CodeRefusedError:
        pass  # the made-up code, so the client itself is known
    except (
        PermanentError,
        TemporaryError,
    ) as error:  # its advice is for people who sign in
        raise PermanentError(str(error).partition(";")[0]) from error
    notes.fine(name, "the wiki accepts the client")


async def _gadget(installation: Installation, notes: Notes) -> None:
    settings = installation.settings
    assert installation.gadget_pages is not None  # noqa: S101 - narrows the type
    wanted = await asyncio.to_thread(
        installation.gadget_pages,
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
    # Only warnings: right before a deployment, differences are normal.
    own = [title for title in wanted if title != _GADGETS]
    missing = [title for title in own if title not in there]
    other = [t for t in own if t in there and there[t].rstrip() != wanted[t].rstrip()]
    if len(missing) == len(own):
        notes.skipped("gadget", f"it is not on {wiki}; {_DEPLOY}")
        return
    if missing:
        notes.warning(
            "gadget", f"{wiki} lacks {', '.join(missing[:_PAGES_SHOWN])}", _DEPLOY
        )
    if other:
        message = f"{counted(len(other), 'page')} of {wiki} {'differs' if len(other) == 1 else 'differ'} from this version"
        notes.warning(
            "gadget", f"{message}: {', '.join(other[:_PAGES_SHOWN])}", _DEPLOY
        )
    if _GADGETS in wanted and "sidenote" not in there.get(_GADGETS, ""):
        notes.warning("gadget", f"{_GADGETS} does not list it", _DEPLOY)
    elif not missing and not other:
        notes.fine("gadget", f"{counted(len(own), 'page')} on {wiki}, up to date")
