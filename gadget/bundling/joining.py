"""Which CommonJS modules a script needs, and in what order. Pure.

A module asks for another by its path, `require( '../folder/name.js' )`. Names are unique
in all folders, so that in a bundle the name alone will do. What begins otherwise is left
to the `require` that is around, such as ResourceLoader's.
"""

import re
from collections.abc import Mapping

from handlers.ports import PermanentError

_REQUIRE = re.compile(r"\brequire\s*\(\s*([^)]*?)\s*\)")
_LITERAL = re.compile(r"""(['"])([^'"\\\n]*)\1\Z""")
_PATH = re.compile(r"(?:\./|(?:\.\./)+(?:[a-z][a-z0-9_]*/)*)([a-z][a-z0-9_]*\.js)\Z")
_OWN = ("./", "../", "/")


def order(entry: str, modules: Mapping[str, str]) -> tuple[str, ...]:
    """Return the modules that `entry` needs, each behind those that it needs itself.

    Args:
        entry: file name of the module that begins.
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
        PermanentError: it asks for something that is no plain name.
    """
    found: dict[str, None] = {}
    for asked in _REQUIRE.findall(text):
        literal = _LITERAL.match(asked)
        if not literal:
            raise PermanentError(
                f"{name} asks for require( {asked} ); only a quoted name can be joined"
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
        raise PermanentError(f"modules need each other in a circle: {circle}")
    if name in found:
        return
    if name not in modules:
        whose = f", which {under[-1]} asks for," if under else ""
        raise PermanentError(f"the module {name}{whose} is not there")
    for each in required(name, modules[name]):
        _add(each, modules, found, (*under, name))
    found[name] = None
