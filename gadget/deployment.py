"""Puts the gadget on a wiki, so that an interface administrator needs one command.

First come the pages to be written, and our two lines among the definitions of other
gadgets, which stay byte for byte; then what a deployment would change; then the
writing. No state is stored here: each of our summaries ends with the hash of the text
written, and a page whose newest revision has the hash of its own text is as we left it.
Any other was written by a person, and is not overwritten without asking.

The first failure ends it, since later steps may depend on it. What was written stays,
and the same command continues where this one ended.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from difflib import unified_diff
from enum import Enum
from importlib.resources import files
from typing import Protocol
from urllib.parse import urlsplit

from pydantic import SecretStr

from bot import __version__
from bot.app.wiring.demo import ADMIN_TOKEN
from bot.app.wiring.wiki import open_interface_gate
from bot.demo.loopback.wiki.building import ADMIN, APP
from bot.records.posts import NotNow, Outcome, Posted
from bot.settings import Settings
from bot.surfaces.messages import SOURCE
from bot.surfaces.shipped import wiki_pages, worded
from gadget.bundle import bundle, content_hash, read_styles, stylesheet
from handlers.ports import PermanentError, TemporaryError

TITLE = "MediaWiki:Gadgets-definition"
_LOADED = "mediawiki.util,mediawiki.storage,mediawiki.user,user.options"


@dataclass(frozen=True, slots=True)
class Gadget:
    """One gadget: its options in order, and its pages."""

    name: str
    options: tuple[str, ...]
    files: tuple[str, ...]


GADGETS = (
    Gadget(
        "sidenote",
        ("ResourceLoader", "actions=view,edit,submit", f"dependencies={_LOADED}"),
        ("sidenote.js", "sidenote.css"),
    ),
    Gadget(
        "sidenote-panel",
        ("ResourceLoader", "hidden", f"dependencies={_LOADED},codex-styles"),
        ("sidenote-panel.js", "sidenote-panel.css"),
    ),
)


def merged(text: str) -> str:
    """Return the definitions of a wiki's gadgets with ours in them.

    Raises:
        PermanentError: one of ours is defined twice.
    """
    behind = None
    for gadget in GADGETS:
        text, behind = _with(text, gadget, behind)
    return text


def for_everybody(text: str) -> str:
    """Return definitions with ours in them, and the entry on for all readers."""
    entry = GADGETS[0]
    return _line_of(entry.name).sub(
        lambda found: _line(
            entry, dict.fromkeys(["default", *_theirs(entry, found["options"] or "")])
        ),
        merged(text),
    )


def _with(text: str, gadget: Gadget, behind: int | None) -> tuple[str, int]:
    """Return the text with a gadget in it, and where its line ends."""
    found = list(_line_of(gadget.name).finditer(text))
    if len(found) > 1:
        raise PermanentError(
            f"{TITLE} defines “{gadget.name}” {len(found)} times; keep one of the lines"
        )
    if found:
        line = _renewed(gadget, found[0])
        text = text[: found[0].start()] + line + text[found[0].end() :]
        return text, found[0].start() + len(line)
    line = _line(gadget, ())
    at = behind
    if at is None:
        text = text.rstrip("\n")
        at = len(text)
    lead = "\n" if at else ""
    return text[:at] + lead + line + text[at:], at + len(lead) + len(line)


def _line_of(name: str) -> re.Pattern[str]:
    return re.compile(
        rf"^\*+ *{re.escape(name)}[ \t]*(?:\[(?P<options>[^\]\n]*)\])?[ \t]*"
        r"\|(?P<files>[^\n]*)$",
        re.MULTILINE,
    )


def _renewed(gadget: Gadget, found: re.Match[str]) -> str:
    """Return a gadget's line with our options; unchanged if it has them already."""
    options = _parts(found["options"] or "")
    theirs = _theirs(gadget, found["options"] or "")
    if set(options) == {*gadget.options, *theirs} and (
        _parts(found["files"]) == list(gadget.files)
    ):
        return found[0]
    return _line(gadget, theirs)


def _theirs(gadget: Gadget, options: str) -> list[str]:
    """Return the options of a line that are not ours."""
    ours = {option.partition("=")[0] for option in gadget.options}
    return [
        each for each in _parts(options) if each.partition("=")[0].strip() not in ours
    ]


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.split("|") if part.strip()]


def _line(gadget: Gadget, theirs: Iterable[str]) -> str:
    options = "|".join((*gadget.options, *theirs))
    return f"* {gadget.name}[{options}]|{'|'.join(gadget.files)}"


_ENTRY_STYLE = "entry.css"
_DOCUMENTS = ("gadget", "privacy")
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "[::1]"})
_ADDRESS = re.compile(
    r"(?P<scheme>https?)://(?P<host>[A-Za-z0-9.-]+|\[[0-9a-f:]+\])"
    r"(?::(?P<port>[0-9]{1,5}))?(?P<path>(?:/[A-Za-z0-9_~-]+)*)/?"
)
_HIGHEST_PORT = 65_535


class Group(Enum):
    """What a page is for; in the order in which they are written."""

    TEMPLATES = "templates"  # how the bot's notes look
    DOCUMENTATION = "documentation"
    SCRIPTS = "scripts"
    DEFINITION = "definition"  # last, so that nobody gets a gadget without its pages


@dataclass(frozen=True, slots=True)
class WantedPage:
    """A page as it should be. The definition has only our lines."""

    title: str
    text: str
    group: Group

    @property
    def file(self) -> str:
        """The name of its file from `sidenote gadget build`."""
        name = self.title.partition(":")[2].replace("/", "-")
        return name if name.endswith((".js", ".css")) else f"{name}.wikitext"


def wanted_pages(
    backend: str,
    bot: str,
    groups: Collection[Group] = tuple(Group),
    *,
    language: str = SOURCE,
) -> tuple[WantedPage, ...]:
    """Return the pages of a gadget that uses `backend`, in the order of writing.

    Args:
        backend: address of the backend, as `checked_backend` gives it.
        bot: name of the account whose user pages hold templates and documents.
        groups: which pages are wanted.
        language: of the wiki.
    """
    made = {
        Group.TEMPLATES: _templates,
        Group.DOCUMENTATION: _documents,
        Group.SCRIPTS: _scripts,
        Group.DEFINITION: _definition,
    }
    return tuple(
        page
        for group in Group
        if group in groups
        for page in made[group](backend, bot, language)
    )


def _templates(_backend: str, bot: str, language: str) -> tuple[WantedPage, ...]:
    return tuple(
        WantedPage(page.title, page.wikitext.rstrip(), Group.TEMPLATES)
        for page in wiki_pages(bot, language)
    )


def checked_backend(address: str) -> str:
    """Return a backend's address in a form to which a script can append paths.

    Raises:
        PermanentError: a script on a wiki could not or should not use it.
    """
    found = _ADDRESS.fullmatch(address)
    is_safe = found and (found["scheme"] == "https" or found["host"] in _LOOPBACK)
    if not found or not is_safe or int(found["port"] or 1) > _HIGHEST_PORT:
        raise PermanentError(
            f"{address[:200]!r} cannot be the backend's URL; give one such as"
            " https://sidenote.example.org (http only on loopback)"
        )
    port = f":{found['port']}" if found["port"] else ""
    return f"{found['scheme']}://{found['host'].lower()}{port}{found['path']}"


def _scripts(backend: str, bot: str, language: str) -> tuple[WantedPage, ...]:
    config = {"backend": backend, "bot": bot}
    panel = "MediaWiki:Gadget-sidenote-panel"
    entry = "MediaWiki:Gadget-sidenote"
    texts = {  # what is loaded later is written first
        f"{panel}.css": stylesheet(
            "panel.css", [name for name in read_styles() if name != _ENTRY_STYLE]
        ),
        f"{panel}.js": bundle("panel_gadget.js", config),
        panel: _text("panel", bot, language),
        f"{entry}.css": stylesheet(_ENTRY_STYLE, (_ENTRY_STYLE,)),
        f"{entry}.js": bundle("entry.js", config),
        entry: _text("entry", bot, language),
    }
    return tuple(
        WantedPage(title, text, Group.SCRIPTS) for title, text in texts.items()
    )


def _definition(_backend: str, _bot: str, _language: str) -> tuple[WantedPage, ...]:
    return (WantedPage(TITLE, merged(""), Group.DEFINITION),)


def _documents(backend: str, bot: str, language: str) -> tuple[WantedPage, ...]:
    known = {
        "SIDENOTE_HOST": urlsplit(backend).netloc,
        "SIDENOTE_VERSION": __version__,
        "SIDENOTE_GADGETS": ", ".join(gadget.name for gadget in GADGETS),
    }
    found = []
    for name in _DOCUMENTS:
        text = _text(name, bot, language)
        for word, value in known.items():
            text = text.replace(word, value)
        found.append(WantedPage(f"User:{bot}/{name}", text, Group.DOCUMENTATION))
    return tuple(found)


def _text(name: str, bot: str, language: str) -> str:
    page = files("gadget") / "pages" / f"{name}.wikitext"
    return worded(page.read_text("utf-8").rstrip(), bot, language)


_MARK = re.compile(r"\bSidenote \S+ \(([0-9a-f]{12})\)")


class DeployedPage(Protocol):
    """A page as it is on the wiki."""

    @property
    def text(self) -> str | None:
        """Its text; `None` if it is missing."""
        ...

    @property
    def revision_id(self) -> int:
        """Its newest revision; 0 if it is missing."""
        ...

    @property
    def comment(self) -> str:
        """The summary of that revision."""
        ...

    @property
    def user(self) -> str:
        """Who made that revision."""
        ...


class Change(Enum):
    """What would happen to a page."""

    NONE = "is unchanged"
    NEW = "is made"
    NEWER = "will be updated"
    THEIRS = "was changed on the wiki"  # by someone other than a deployment


@dataclass(frozen=True, slots=True)
class Step:
    """One page: what it holds and what it should hold."""

    title: str
    change: Change
    before: str
    after: str
    base: int  # the revision that was checked; 0 for none
    by: str  # who made it

    @property
    def diff(self) -> tuple[str, ...]:
        """The lines of a unified diff."""
        return tuple(
            unified_diff(
                self.before.split("\n") if self.before else [],
                self.after.split("\n"),
                f"{self.title} (on the wiki)" if self.base else "(no page)",
                f"{self.title} (Sidenote {__version__})",
                lineterm="",
            )
        )


def plan(
    wanted: Iterable[WantedPage], current: Mapping[str, DeployedPage]
) -> tuple[Step, ...]:
    """Return what to do with each page, in the order of `wanted`.

    Args:
        wanted: pages as they should be.
        current: each of them as it is, by title.
    """
    return tuple(_step(page, current[page.title]) for page in wanted)


def summary_of(text: str) -> str:
    """Return the summary with which a text is written."""
    return f"Sidenote {__version__} ({content_hash(text)}), by “sidenote gadget deploy”"


def _step(page: WantedPage, now: DeployedPage) -> Step:
    before = now.text or ""
    is_definition = page.group is Group.DEFINITION
    after = merged(before) if is_definition else page.text
    if now.text is not None and before.rstrip() == after.rstrip():
        change = Change.NONE
    elif now.text is None:
        change = Change.NEW
    elif is_definition or _is_ours(now):
        change = Change.NEWER
    else:
        change = Change.THEIRS
    return Step(page.title, change, before, after, now.revision_id, now.user)


def _is_ours(now: DeployedPage) -> bool:
    mark = _MARK.search(now.comment)
    return mark is not None and mark[1] == content_hash(now.text or "")


def install(settings: Settings, wiki: str, backend: str, bot: str) -> None:
    """Write the gadget's pages on a wiki of the demo, as its administrator.

    Waits for the wiki, a second or so. Other writers in this process wait for it.

    Args:
        settings: in force.
        wiki: host of the wiki, on loopback, with its port.
        backend: address of the panel's backend.
        bot: the bot's account.

    Raises:
        PermanentError: the wiki does not know the demo's administrator.
        TemporaryError: it cannot be reached.
    """
    as_admin = settings.model_copy(
        update={
            "deploy_account": ADMIN,
            "deploy_login": f"{ADMIN}@{APP}",
            "deploy_password": SecretStr(ADMIN_TOKEN),
        }
    )
    gate = open_interface_gate(as_admin, f"http://{wiki}", bot)
    pages = wanted_pages(checked_backend(backend), bot)
    steps = plan(pages, gate.pages([page.title for page in pages]))
    carry_out(gate, map(_switched_on, steps), lambda _: None).require_done()
    gate.end()


def _switched_on(step: Step) -> Step:
    if step.title != TITLE:
        return step
    after = for_everybody(step.after)
    change = step.change if after == step.after else Change.NEWER
    return replace(step, after=after, change=change)


ReportStep = Callable[[Step], None]


class Gate(Protocol):
    """Reads and writes the pages, as `bot.writing.interface_gate` does."""

    def pages(self, titles: Collection[str]) -> Mapping[str, DeployedPage]:
        """Return pages as they are, by title."""
        ...

    def write(self, title: str, text: str, summary: str, *, base: int) -> Outcome:
        """Write a whole page, if its newest revision is still `base`."""
        ...


@dataclass(frozen=True, slots=True)
class Deployed:
    """The result of a plan; `why` is empty if all of it was done."""

    written: tuple[str, ...]
    left: tuple[str, ...]
    why: str = ""
    retry_in_s: float | None = None  # when trying again may help

    def require_done(self) -> None:
        """Raise for what failed, with what was and was not written.

        Raises:
            PermanentError: trying again is useless.
            TemporaryError: trying again may help.
        """
        if not self.why:
            return
        progress = (
            f"{self.why}\nwritten: {', '.join(self.written) or 'nothing'}"
            f"\nnot written: {', '.join(self.left)}"
            "\nrun the same command again to continue"
        )
        if self.retry_in_s is None:
            raise PermanentError(progress)
        raise TemporaryError(progress, retry_in_s=self.retry_in_s)


def carry_out(gate: Gate, steps: Iterable[Step], report: ReportStep) -> Deployed:
    """Write what differs, and check afterwards that it was saved.

    Args:
        gate: to the wiki.
        steps: as planned; those of `Change.THEIRS` are written, too, so ask before.
        report: is called before each write.
    """
    todo = [step for step in steps if step.change is not Change.NONE]
    written: list[str] = []
    for step in todo:
        report(step)
        why, retry_in_s = _written(gate, step)
        if why:
            left = tuple(each.title for each in todo[len(written) :])
            return Deployed(tuple(written), left, f"{step.title}: {why}", retry_in_s)
        written.append(step.title)
    return _checked(gate, todo)


def _written(gate: Gate, step: Step) -> tuple[str, float | None]:
    """Return why a page could not be written, and when it may be; "" if it was."""
    try:
        done = gate.write(
            step.title, step.after, summary_of(step.after), base=step.base
        )
    except TemporaryError as error:
        return str(error), error.retry_in_s or 0.0
    except PermanentError as error:
        return str(error), None
    if isinstance(done, Posted):
        return "", None
    why = getattr(done, "why", "the wiki does not say what it did")
    return why, done.retry_in_s if isinstance(done, NotNow) else None


def _checked(gate: Gate, done: list[Step]) -> Deployed:
    """Check once more: a wiki merges simultaneous edits."""
    titles = tuple(step.title for step in done)
    if not titles:
        return Deployed((), ())
    now = gate.pages(titles)
    other = tuple(
        step.title
        for step in done
        if (now[step.title].text or "").rstrip() != step.after.rstrip()
    )
    why = "the wiki has another text than the one written" if other else ""
    return Deployed(tuple(each for each in titles if each not in other), other, why)
