"""The gadget's two lines among a wiki's gadgets; all others stay byte for byte. Pure.

A wiki may have added to our lines (`default`, `rights=…`, `skins=…`): what is not ours
stays as it is.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from handlers.ports import PermanentError

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
        ("ResourceLoader", "actions=view", f"dependencies={_LOADED}"),
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
            f"{TITLE} defines “{gadget.name}” {len(found)} times; leave one of the lines"
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
    """Return a gadget's line with our options; as it is, if it has them in any order."""
    options = _parts(found["options"] or "")
    theirs = _theirs(gadget, found["options"] or "")
    if set(options) == {*gadget.options, *theirs} and (
        _parts(found["files"]) == list(gadget.files)
    ):
        return found[0]
    return _line(gadget, theirs)


def _theirs(gadget: Gadget, options: str) -> list[str]:
    """Return the options of a line that are not ours to set."""
    ours = {option.partition("=")[0] for option in gadget.options}
    return [
        each for each in _parts(options) if each.partition("=")[0].strip() not in ours
    ]


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.split("|") if part.strip()]


def _line(gadget: Gadget, theirs: Iterable[str]) -> str:
    options = "|".join((*gadget.options, *theirs))
    return f"* {gadget.name}[{options}]|{'|'.join(gadget.files)}"
