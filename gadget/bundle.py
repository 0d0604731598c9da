"""Joins the script's modules, messages and settings into what a wiki can load.

A gadget's pages are single files, but its source is in small ones. Nothing here needs
Node, and the same input gives the same bytes. Under ResourceLoader the exports are the
gadget's; elsewhere they are `window.sidenote.NAME`, for an entry `NAME.js`.

MediaWiki changes what is saved: it expands `{{subst:…}}` and `~~~~` even in scripts,
strips white space at the end and normalises to NFC. A bundle is made so that saving
does not change it; then the page on the wiki can be compared exactly.

A message counts as used if its key appears in quotes, alone, anywhere in a script: in a
call (`msg( 'close' )`) or in a table used for one. A computed key is declared in a
comment: `// Messages: verdict-*, reason-*`.
"""

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from hashlib import sha256
from importlib.resources import files

from bot import __version__
from handlers.ports import PermanentError

PREFIX = "sidenote-"
SOURCE = "en"
NOTES = "qqq"  # documentation for translators, as MediaWiki calls it
Texts = Mapping[str, Mapping[str, str]]
_WORD = re.compile(r"""(['"])([a-z0-9][a-z0-9-]*)\1""")
_DECLARED = re.compile(r"//\s*Messages:\s*(.+)$", re.M)


def read_messages() -> dict[str, dict[str, str]]:
    """Return the messages by language and key; keys as in the files."""
    found = {}
    folder = files("bot") / "i18n"
    for file in sorted(folder.iterdir(), key=lambda each: each.name):
        if file.name.endswith(".json"):
            messages = json.loads(file.read_text("utf-8"))
            messages.pop("@metadata", None)
            found[file.name.removesuffix(".json")] = messages
    return found


def used(texts: Iterable[str], keys: Iterable[str]) -> frozenset[str]:
    """Return those of `keys` (without the prefix) that the scripts' texts use."""
    words: set[str] = set()
    patterns: list[str] = []
    for text in texts:
        words.update(word for _, word in _WORD.findall(text))
        for declared in _DECLARED.findall(text):
            patterns.extend(part.strip() for part in declared.split(","))
    return frozenset(
        key
        for key in keys
        if key in words or any(fnmatchcase(key, pattern) for pattern in patterns)
    )


def selected(messages: Texts, texts: Iterable[str]) -> dict[str, dict[str, str]]:
    """Return by language the messages that the scripts use, without the prefix.

    Untranslated messages are left out; the script falls back.
    """
    source = messages.get(SOURCE, {})
    keys = used(texts, (key.removeprefix(PREFIX) for key in source))
    return {
        language: {
            key: own[f"{PREFIX}{key}"]
            for key in sorted(keys)
            if f"{PREFIX}{key}" in own
        }
        for language, own in sorted(messages.items())
        if language != NOTES
    }


_REQUIRE = re.compile(r"\brequire\s*\(\s*([^)]*?)\s*\)")
_LITERAL = re.compile(r"""(['"])([^'"\\\n]*)\1\Z""")
_PATH = re.compile(r"(?:\./|(?:\.\./)+(?:[a-z][a-z0-9_]*/)*)([a-z][a-z0-9_]*\.js)\Z")
_OWN = ("./", "../", "/")


def order(entry: str, modules: Mapping[str, str]) -> tuple[str, ...]:
    """Return the modules that `entry` needs, each after those that it needs itself.

    A module asks for another by its path, `require( '../folder/name.js' )`. Names are
    unique across folders, so in a bundle the name is enough. Other paths are left to
    the surrounding `require`, such as ResourceLoader's.

    Args:
        entry: file name of the first module.
        modules: text of each module by its file name.

    Raises:
        PermanentError: a module is missing, has an unsafe name, or needs itself.
    """
    found: dict[str, None] = {}
    _add(entry, modules, found, ())
    return tuple(found)


def required(name: str, text: str) -> tuple[str, ...]:
    """Return the file names of our own modules that a module's text asks for.

    Raises:
        PermanentError: it asks for something that is not a plain name.
    """
    found: dict[str, None] = {}
    for argument in _REQUIRE.findall(text):
        literal = _LITERAL.match(argument)
        if not literal:
            raise PermanentError(
                f"{name} asks for require( {argument} ); only a quoted name can be joined"
            )
        if literal[2].startswith(_OWN):
            found[_checked(name, literal[2])] = None
    return tuple(found)


def _checked(name: str, path: str) -> str:
    found = _PATH.match(path)
    if not found:
        raise PermanentError(
            f"{name} asks for {path!r}; modules are called like ./name.js or"
            " ../folder/name.js (small letters, digits, _)"
        )
    return found[1]


def _add(
    name: str,
    modules: Mapping[str, str],
    found: dict[str, None],
    under: tuple[str, ...],
) -> None:
    if name in under:
        circle = " → ".join((*under[under.index(name) :], name))
        raise PermanentError(f"modules require each other in a circle: {circle}")
    if name in found:
        return
    if name not in modules:
        whose = f", which {under[-1]} asks for," if under else ""
        raise PermanentError(f"the module {name}{whose} is not there")
    for each in required(name, modules[name]):
        _add(each, modules, found, (*under, name))
    found[name] = None


CONFIG, MESSAGES = "config.js", "i18n.js"
LICENCE = "MIT"
_MADE = (CONFIG, MESSAGES)
_SHOWN_HASH = 12  # digits of it that a header shows
_START = """\
( function ( outer, own ) {
'use strict';
const made = {}, exported = {};
function define( name, make ) {
	made[ name ] = make;
}
function require( name ) {
	const file = name.charAt( 0 ) === '.' ? name.slice( name.lastIndexOf( '/' ) + 1 ) : '';
	if ( !file ) {
		return outer( name );
	}
	if ( !exported[ file ] ) {
		exported[ file ] = { exports: {} };
		made[ file ]( require, exported[ file ], exported[ file ].exports );
	}
	return exported[ file ].exports;
}
"""
_END = """\
const result = require( './%(entry)s' );
if ( own ) {
	own.exports = result;
} else {
	window.sidenote = Object.assign( window.sidenote || {}, { %(name)s: result } );
}
}(
	typeof require === 'function' ? require : function ( name ) {
		throw new Error( name + ' is not here' );
	},
	typeof module === 'object' ? module : null
) );
"""


@dataclass(frozen=True, slots=True)
class Sources:
    """What bundles are made of: scripts by file name, and messages by language."""

    scripts: Mapping[str, str]
    messages: Texts


def read_sources() -> Sources:
    """Return the scripts and messages that ship with the program."""
    return Sources(_files(".js"), read_messages())


def bundle(
    entry: str, config: Mapping[str, object], sources: Sources | None = None
) -> str:
    """Return the text of a self-contained script.

    Args:
        entry: the first module, such as `entry.js`.
        config: what `require( './config.js' )` gives; JSON values. The version is
            added.
        sources: what it is made of; by default what ships with the program.

    Raises:
        PermanentError: modules are missing, badly named, or need each other in a
            circle; or a text cannot be saved on a wiki.
    """
    sources = sources or read_sources()
    settings = {**config, "version": __version__}
    scripts = {**sources.scripts, CONFIG: _exporting(settings), MESSAGES: ""}
    names = order(entry, scripts)
    texts = [scripts[name] for name in names if name not in _MADE]
    if MESSAGES in names:
        scripts[MESSAGES] = _exporting(selected(sources.messages, texts))
    name = entry.removesuffix(".js")
    joined = "".join(_module(each, scripts[each]) for each in names)
    body = f"{_START}{joined}{_END % {'entry': entry, 'name': name}}"
    return _page_text(entry, body)


def stylesheet(name: str, styles: Iterable[str]) -> str:
    """Return stylesheets of `script/` joined into one, called `name` in its header.

    Raises:
        PermanentError: one is missing.
    """
    known = read_styles()
    parts = []
    for each in styles:
        if each not in known:
            raise PermanentError(f"the stylesheet {each} is not there")
        parts.append(f"/* {each} */\n{known[each]}")
    return _page_text(name, "\n".join(parts))


def read_styles() -> dict[str, str]:
    """Return the stylesheets that ship with the program, by file name."""
    return _files(".css")


def content_hash(text: str) -> str:
    """Return a text's id: the beginning of its SHA-256, in hexadecimal."""
    return sha256(text.encode()).hexdigest()[:_SHOWN_HASH]


def _files(end: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for folder in (files("gadget") / "script").iterdir():
        for file in folder.iterdir() if folder.is_dir() else ():
            if file.name.endswith(end):
                if file.name in found:
                    raise PermanentError(
                        f"two files of the script are both named {file.name}"
                    )
                found[file.name] = file.read_text("utf-8")
    return dict(sorted(found.items()))


def _module(name: str, text: str) -> str:
    start = f"define( '{name}', function ( require, module, exports ) {{"
    return f"{start}\n{text.rstrip()}\n}} );\n"


def _exporting(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True)
    for unsafe, safe in (("\u2028", "\\u2028"), ("\u2029", "\\u2029"), ("</", "<\\/")):
        text = text.replace(unsafe, safe)
    return f"module.exports = {text};"


def _page_text(name: str, body: str) -> str:
    body = unicodedata.normalize("NFC", body.replace("\r\n", "\n")).rstrip()
    if "nowiki>" in body:
        raise PermanentError(
            f"{name} has “nowiki>” in it, which ends the nowiki around the script;"
            f" build the word from two parts"
        )
    return (
        f"/*! Sidenote {__version__}, {name} ({content_hash(body)}). Licence:"
        f" {LICENCE}.\n"
        " * Made by `sidenote gadget build`; what is changed here is overwritten.\n"
        f" * <nowiki> */\n{body}\n/* </nowiki> */"
    )
