"""Finds what the article already says of the thing a candidate speaks of. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from handlers.citations.cues.reading import Reading, read
from handlers.model import Statement
from handlers.ports import TextEncoder

_SHARE_OF_WORDS = 0.5  # beside the cosine, which counts 1
_CARRIED = 200  # characters of a statement's context that tell who "he" is


@dataclass(frozen=True, slots=True)
class Near:
    """A statement with its place among those of the article.

    `alike` is its cosine with the candidate, `shared` the share of the candidate's
    content words that it has.
    """

    at: int
    statement: Statement
    alike: float
    shared: float

    @property
    def fit(self) -> float:
        """How well it fits, comparable within one candidate."""
        return self.alike + _SHARE_OF_WORDS * self.shared


async def nearest(
    text: str, statements: Sequence[Statement], encoder: TextEncoder, *, limit: int
) -> tuple[Near, ...]:
    """Return the statements that say most of what `text` says, the nearest first."""
    if not statements:
        return ()
    [row] = await encoder.likeness([text], [shown(one) for one in statements])
    wanted = read(text).stems
    found = [
        Near(at, one, alike, _shared(wanted, read(shown(one))))
        for at, (one, alike) in enumerate(zip(statements, row, strict=True))
    ]
    return tuple(sorted(found, key=lambda one: (-one.fit, one.at))[:limit])


def shown(statement: Statement) -> str:
    """Return a statement as a sentence of its own: a value with what it is of."""
    if statement.header:
        return f"{statement.header}: {statement.text}"
    return statement.text


def premises(near: Sequence[Near]) -> list[str]:
    """Return statements as texts that can be judged by.

    Neighbours stand together, in the order of the page; the end of what precedes the
    first of them comes along, because it says whom "he" means.
    """
    groups: list[list[Near]] = []
    for one in sorted(near, key=lambda each: each.at):
        last = groups[-1][-1] if groups else None
        if last and one.at == last.at + 1 and _is_beside(one, last):
            groups[-1].append(one)
        else:
            groups.append([one])
    return [_joined(group) for group in groups]


def _is_beside(one: Near, other: Near) -> bool:
    same = one.statement.section == other.statement.section
    return same and not one.statement.header and not other.statement.header


def _joined(group: Sequence[Near]) -> str:
    first = group[0].statement
    before = "" if first.header else _end(first.context)
    return " ".join((before, *(shown(one.statement) for one in group))).strip()


def _end(context: str) -> str:
    """Return the last words of `context`, whole ones."""
    if len(context) <= _CARRIED:
        return context
    return context[-_CARRIED:].partition(" ")[2]


def _shared(wanted: frozenset[str], said: Reading) -> float:
    if not wanted:
        return 0.0
    return sum(said.index.support(stem) for stem in wanted) / len(wanted)
