"""Inline cleanup tags: what editors already said about the words before them. Pure."""

import re

from handlers.model import Span, Tag
from handlers.wikitext.citing.template_names import TAG_KINDS
from handlers.wikitext.scanning.elements import Element
from handlers.wikitext.scanning.markup import plain_text

_DATE = re.compile(r"\s*+(?:date|datum|fecha)\s*+=", re.IGNORECASE)
_LONGEST_DATE = 60  # characters


def read_tag(text: str, template: Element) -> Tag:
    """Read a template whose role is a cleanup tag."""
    return Tag(
        kind=TAG_KINDS[template.name],
        name=template.name,
        span=Span(template.start, template.end),
        dated=_dated(text, template),
    )


def _dated(text: str, template: Element) -> str | None:
    """Return `date=` alone: a tag may hold whole sentences beside it."""
    ends = (*template.pipes[1:], template.inner_end)
    for pipe, end in zip(template.pipes, ends, strict=False):
        named = _DATE.match(text, pipe + 1, end)
        if named and end - named.end() <= _LONGEST_DATE:
            return plain_text(text[named.end() : end]) or None
    return None
