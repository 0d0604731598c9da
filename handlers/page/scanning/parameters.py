"""The parameters of a template, as places in the wikitext.

Names are told from values as MediaWiki does, except that a name holds no markup:
an "=" behind a bracket, brace or tag belongs to the value. Pure.
"""

import re
from typing import NamedTuple

from handlers.page.scanning.elements import Element

_NAME = re.compile(r"\s*+([^=\[\]{}<>\n|]{0,100})=")


class Parameter(NamedTuple):
    """One parameter; `start:end` is its value, white space around it excluded.

    `name` is as written, trimmed; "1", "2" … where none is written.
    """

    name: str
    start: int
    end: int


def parameters_of(text: str, template: Element) -> tuple[Parameter, ...]:
    """Return the parameters of `template` in order."""
    found = []
    position = 0
    pipes = template.pipes
    for at, pipe in enumerate(pipes):
        end = pipes[at + 1] if at + 1 < len(pipes) else template.inner_end
        named = _NAME.match(text, pipe + 1, end)
        if named:
            name, start = named[1].strip(), named.end()
        else:
            position += 1
            name, start = str(position), pipe + 1
        found.append(Parameter(name, *trim(text, start, end)))
    return tuple(found)


def trim(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the range without the white space at its ends.

    The part between is not looked at, for values nest thousands deep.
    """
    while end > start and text[end - 1].isspace():
        end -= 1
    while start < end and text[start].isspace():
        start += 1
    return start, end
