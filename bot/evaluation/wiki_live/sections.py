"""Tells which section of a Good Article each of its facts is from. Pure.

The benchmark has the facts in the order of the article but without their sections. A
fact's words stand in its section, so of all ways to part the row of facts along the
sections the one with the most words in common is taken.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from handlers.citations.cues.words import content_stems, words

_HEADING = re.compile(r"^#{1,6}\s+(\S.*)$")
_LEAD = "Lead"
_AFTER = frozenset(
    {"references", "see also", "notes", "external links", "bibliography", "sources"}
    | {"further reading", "citations", "footnotes", "works cited"}
)


@dataclass(frozen=True, slots=True)
class Section:
    """A section with its own text, that of its subsections left out."""

    heading: str
    text: str


def sections_of(markdown: str) -> tuple[Section, ...]:
    """Return the sections of an article that have a text, the lead first.

    The first heading is the title; sections such as References are left out.
    """
    parts: list[tuple[str, list[str]]] = [(_LEAD, [])]
    is_titled = False
    for line in markdown.split("\n"):
        heading = _HEADING.match(line)
        if heading and not is_titled and line.startswith("# "):
            is_titled = True
        elif heading:
            parts.append((heading[1].rstrip("# \t").strip(" *_"), []))
        else:
            parts[-1][1].append(line)
    return tuple(
        Section(heading, text)
        for heading, lines in parts
        if (text := "\n".join(lines).strip()) and heading.casefold() not in _AFTER
    )


def sections_of_facts(facts: Sequence[str], markdown: str) -> tuple[str, ...]:
    """Return the heading of each fact's section; the order of sections is kept."""
    sections = sections_of(markdown)
    if not sections or not facts:
        return tuple("" for _ in facts)
    stems = [content_stems(words(one.text)) for one in sections]
    shares = [
        [_share(content_stems(words(fact)), one) for one in stems] for fact in facts
    ]
    return tuple(sections[at].heading for at in _in_order(shares))


def _share(asked: frozenset[str], stated: frozenset[str]) -> float:
    return len(asked & stated) / len(asked) if asked else 0.0


def _in_order(shares: Sequence[Sequence[float]]) -> list[int]:
    """Return for each row a column that never goes back, the sum being the highest."""
    best = list(shares[0])
    came_from: list[list[int]] = []
    for row in shares[1:]:
        before = [0]
        for at in range(1, len(best)):
            before.append(at if best[at] > best[before[-1]] else before[-1])
        came_from.append(before)
        best = [best[before[at]] + row[at] for at in range(len(row))]
    chosen = [max(range(len(best)), key=lambda at: best[at])]
    for before in reversed(came_from):
        chosen.append(before[chosen[-1]])
    return chosen[::-1]
