"""One linear pass over wikitext: where each piece of markup begins and ends.

Library parsers are quadratic on unclosed markup; this pass is not, whatever the
input. It understands no more than is needed to tell pieces apart: comments,
opaque tags, references, templates, links, tables and headings. Pure.
"""

from dataclasses import dataclass
from enum import Enum


class Kind(Enum):
    """What a piece of markup is."""

    COMMENT = "comment"  # <!-- … -->
    OPAQUE = "opaque"  # <nowiki>, <pre>, <math>, <syntaxhighlight> … with content
    REF = "ref"  # <ref …>…</ref>
    REF_REUSE = "ref reuse"  # <ref … />
    REFERENCES = "references"  # <references …>…</references> or <references/>
    TEMPLATE = "template"  # {{…}}
    ARGUMENT = "argument"  # {{{…}}}
    LINK = "link"  # [[…]]
    EXTERNAL_LINK = "external link"  # [http… …]
    TABLE = "table"  # {| … |}
    HEADING = "heading"  # == … == with its line end
    TAG = "tag"  # any other HTML tag, the tag alone without its content


@dataclass(frozen=True, slots=True)
class Element:
    """A closed piece of markup; `text[start:end]` is all of it.

    `parent` is the index (in the scan's tuple) of the innermost element that
    contains it, or -1. `inner_start:inner_end` is its content: the text between
    the braces, brackets or tags (for a TAG or COMMENT what stands inside it).
    `pipes` are the offsets of the "|" that part a template's, argument's or
    link's own parameters. `name` is the tag's name or the template's name,
    normalised: lower case, underscores and runs of spaces to one space, a
    "Template:" prefix removed. `attributes` are those of a ref or references
    tag (`name`, `group`, `follow`, `extends` …), quotes removed.
    """

    kind: Kind
    start: int
    end: int
    inner_start: int
    inner_end: int
    parent: int
    name: str = ""
    pipes: tuple[int, ...] = ()
    attributes: tuple[tuple[str, str], ...] = ()
