"""Shows a model the article and the run so far, and understands what it points at.

A model never writes an address, a heading or a number of ours: it names ids that the
question gave out, and an id that was not given out is no answer. Pure.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from handlers.model import (
    CandidateUpdate,
    Page,
    SectionCriteria,
    Statement,
    Subject,
    Update,
)
from handlers.ports import Excerpt
from handlers.updates.by_model.asking import line

Path = tuple[str, ...]

_LONGEST_TITLE = 200
_LONGEST_STATEMENT = 500
_MOST_SECTIONS = 80
_MOST_WANTS = 4


@dataclass(frozen=True, slots=True)
class Sections:
    """The sections that take facts, by the ids that a question gives them."""

    by_id: dict[str, SectionCriteria]

    def path(self, given: str) -> Path | None:
        """Return the section of an id; `None` for one that was not given out."""
        found = self.by_id.get(given.strip().casefold())
        return found.path if found else None

    def id_of(self, path: Path) -> str:
        """Return the id of a section, or "none"."""
        return next(
            (key for key, one in self.by_id.items() if one.path == path), "none"
        )

    def excerpt(self) -> Excerpt:
        """Return the part that shows them with what belongs into each."""
        lines = [
            f"{key}: {heading(one.path)}" + _wanted(one)
            for key, one in self.by_id.items()
        ]
        return Excerpt("sections of the article", "\n".join(lines))


def sections_of(subject: Subject) -> Sections:
    """Return the sections of an article that take facts."""
    taking = [one for one in subject.criteria.sections if one.is_open]
    return Sections(
        {f"s{number}": one for number, one in enumerate(taking[:_MOST_SECTIONS], 1)}
    )


def heading(path: Path) -> str:
    """Return where a section stands, on one line."""
    return line(" > ".join(path)) if path else "(lead)"


def about(subject: Subject) -> Excerpt:
    """Return the part that names the article, its subject and the days that count."""
    lines = [
        f"Article: {line(subject.page.id.title, _LONGEST_TITLE)}",
        f"Also called: {line(', '.join(subject.names[1:])) or '-'}",
        f"Today: {subject.today.isoformat()}",
        f"Days that count: {subject.window}",
    ]
    return Excerpt("article", "\n".join(lines))


def title_of(page: Page) -> Excerpt:
    """Return the part that names the article alone."""
    return Excerpt("article", f"Article: {line(page.id.title, _LONGEST_TITLE)}")


def statement_lines(statements: Sequence[Statement], first: str = "a") -> list[str]:
    """Return statements, a line each, with ids from `a1` on."""
    return [
        f"{first}{number}: {line(_shown(one), _LONGEST_STATEMENT)}"
        for number, one in enumerate(statements, 1)
    ]


def update_lines(updates: Sequence[Update]) -> list[str]:
    """Return updates found so far, a line each; their ids are `u` and their number."""
    return [
        f"u{one.number}: ({one.dated or 'no day'}) {line(one.text, _LONGEST_STATEMENT)}"
        for one in updates
    ]


def candidate_part(candidate: CandidateUpdate, sections: Sections) -> Excerpt:
    """Return the part that shows a candidate with the words that bear it out."""
    lines = [
        f"Fact: {line(candidate.text, _LONGEST_STATEMENT)}",
        f"Words of the source: {line(candidate.evidence.quote, _LONGEST_STATEMENT)}",
        f"Day: {candidate.dated or 'unknown'}",
        f"Section it seems to belong to: {sections.id_of(candidate.section)}",
    ]
    return Excerpt("candidate", "\n".join(lines))


def chosen(given: str, first: str, items: Sequence[Statement]) -> Statement | None:
    """Return the one of `items` that an id of `statement_lines` names."""
    key = given.strip().casefold()
    if not key.startswith(first) or not key[1:].isascii() or not key[1:].isdecimal():
        return None
    number = int(key[1:4])
    return items[number - 1] if len(key) <= 4 and 0 < number <= len(items) else None  # noqa: PLR2004 - three digits


def _wanted(one: SectionCriteria) -> str:
    wants = "; ".join(line(want, 120) for want in one.wants[:_MOST_WANTS])
    return f" – {wants}" if wants else ""


def _shown(one: Statement) -> str:
    return f"{one.header}: {one.text}" if one.header else one.text
