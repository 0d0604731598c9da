"""What stands on a wiki that has the gadget: its pages, by what they are for."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from enum import Enum
from importlib.resources import files
from urllib.parse import urlsplit

from bot import __version__
from bot.surfaces.shipped import wiki_pages
from gadget.bundling.bundle import bundle, read_styles, stylesheet
from gadget.deploying.definition import GADGETS, TITLE, merged
from handlers.ports import PermanentError

_ENTRY_STYLE = "entry.css"
_DOCUMENTS = (("gadget", "gadget.wikitext"), ("privacy", "privacy.wikitext"))
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
    """A page as it has to be. The definition has our lines alone."""

    title: str
    text: str
    group: Group

    @property
    def file(self) -> str:
        """The name of the file that `sidenote gadget build` makes of it."""
        name = self.title.partition(":")[2].replace("/", "-")
        return name if name.endswith((".js", ".css")) else f"{name}.wikitext"


def wanted_pages(
    backend: str, bot: str, groups: Collection[Group] = tuple(Group)
) -> tuple[WantedPage, ...]:
    """Return the pages of a gadget that asks `backend`, in the order to be written.

    Args:
        backend: address of the backend, as `checked_backend` gives it.
        bot: name of the account whose user pages hold templates and documents.
        groups: which pages are wanted.
    """
    made = {
        Group.TEMPLATES: _templates,
        Group.DOCUMENTATION: _documents,
        Group.SCRIPTS: _scripts,
        Group.DEFINITION: _definition,
    }
    return tuple(
        page for group in Group if group in groups for page in made[group](backend, bot)
    )


def checked_backend(address: str) -> str:
    """Return a backend's address as a script can put paths behind it.

    Raises:
        PermanentError: a script on a wiki could not or should not ask it.
    """
    found = _ADDRESS.fullmatch(address)
    is_safe = found and (found["scheme"] == "https" or found["host"] in _LOOPBACK)
    if not found or not is_safe or int(found["port"] or 1) > _HIGHEST_PORT:
        raise PermanentError(
            f"{address[:200]!r} cannot be the backend's address; give one such as"
            " https://sidenote.example.org (http only on loopback)"
        )
    port = f":{found['port']}" if found["port"] else ""
    return f"{found['scheme']}://{found['host'].lower()}{port}{found['path']}"


def _scripts(backend: str, bot: str) -> tuple[WantedPage, ...]:
    config = {"backend": backend, "bot": bot}
    panel = "MediaWiki:Gadget-sidenote-panel"
    entry = "MediaWiki:Gadget-sidenote"
    texts = {  # what is loaded later is written first
        f"{panel}.css": stylesheet("panel.css", _panel_styles()),
        f"{panel}.js": bundle("panel_gadget.js", config),
        panel: "The panel that “sidenote” opens; it is loaded when a reader asks for it.",
        f"{entry}.css": stylesheet(_ENTRY_STYLE, (_ENTRY_STYLE,)),
        f"{entry}.js": bundle("entry.js", config),
        entry: "'''Source notes''': shows beside an article where its sources do not say"
        f" what it says ([[User:{bot}/gadget|help]], [[User:{bot}/privacy|privacy]]).",
    }
    return tuple(
        WantedPage(title, text, Group.SCRIPTS) for title, text in texts.items()
    )


def _panel_styles() -> tuple[str, ...]:
    return tuple(name for name in read_styles() if name != _ENTRY_STYLE)


def _definition(_backend: str, _bot: str) -> tuple[WantedPage, ...]:
    return (WantedPage(TITLE, merged(""), Group.DEFINITION),)


def _templates(_backend: str, bot: str) -> tuple[WantedPage, ...]:
    return tuple(
        WantedPage(page.title, page.wikitext.rstrip(), Group.TEMPLATES)
        for page in wiki_pages(bot)
    )


def _documents(backend: str, bot: str) -> tuple[WantedPage, ...]:
    folder = files("gadget") / "pages"
    known = {
        "SIDENOTE_BOT": bot,
        "SIDENOTE_HOST": urlsplit(backend).netloc,
        "SIDENOTE_VERSION": __version__,
        "SIDENOTE_GADGETS": ", ".join(gadget.name for gadget in GADGETS),
    }
    found = []
    for name, file in _DOCUMENTS:
        text = (folder / file).read_text("utf-8").rstrip()
        for word, value in known.items():
            text = text.replace(word, value)
        found.append(WantedPage(f"User:{bot}/{name}", text, Group.DOCUMENTATION))
    return tuple(found)
