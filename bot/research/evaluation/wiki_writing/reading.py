"""Reads what Wiki Writing compares: pairs of articles, topics, and what people said."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from bot.research.evaluation.datasets import Unscored
from bot.research.evaluation.wiki_live.reading import (
    Place,
    articles_of,
    fault,
    references,
)
from bot.research.evaluation.wiki_live.values import shown
from bot.research.evaluation.wiki_writing.figures import Annotation
from bot.research.evaluation.wiki_writing.kept import winner_named
from bot.research.evaluation.wiki_writing.running import Pair
from handlers.ports import PermanentError

_MAX_BYTES = 20_000_000


@dataclass(frozen=True, slots=True)
class Paired:
    """The pairs of some systems, as the data of a report; a row is an article."""

    file: str
    sha256: str
    pairs: Mapping[str, tuple[Pair, ...]]  # by system
    unscored: tuple[Unscored, ...]

    @property
    def row_count(self) -> int:
        """All articles of the systems, those without a reference included."""
        return sum(map(len, self.pairs.values())) + len(self.unscored)


def paired(
    place: Place,
    systems: Sequence[str],
    *,
    titles: frozenset[str] = frozenset(),
    limit: int | None = None,
) -> Paired:
    """Return each article of some systems beside the Good Article.

    Args:
        place: of the benchmark.
        systems: their names.
        titles: only these, as the files call them; all, where empty.
        limit: only so many articles of each system.

    Raises:
        PermanentError: a file is missing or unusable, or no article has a reference.
    """
    good = {
        one.title: one.markdown for one in references(place) if one.markdown.strip()
    }
    pairs: dict[str, tuple[Pair, ...]] = {}
    unscored: list[Unscored] = []
    digest = sha256()
    for system in systems:
        found: list[Pair] = []
        for line, one in enumerate(articles_of(place, system, titles or None), 1):
            if limit is not None and len(found) == limit:
                break
            digest.update(one.sha256.encode())
            if any(pair.title == shown(one.title) for pair in found):
                reason = f"{system}: {shown(one.title)} stands there twice"
                unscored.append(Unscored(line, system, reason))
                continue
            if not one.text.strip() or one.title not in good:
                lacks = "no Good Article" if one.text.strip() else "no text"
                reason = f"{system}: {shown(one.title)} has {lacks}"
                unscored.append(Unscored(line, system, reason))
                continue
            found.append(Pair(shown(one.title), one.text, good[one.title]))
        pairs[system] = tuple(found)
    if not any(pairs.values()):
        raise PermanentError(
            f"none of {', '.join(systems)} has an article on a subject of {place.root}"
        )
    return Paired(place.name, digest.hexdigest(), pairs, tuple(unscored))


def read_topics(path: Path) -> dict[str, str]:
    """Return the topic of articles: a line each, title and topic with a tab between.

    Raises:
        PermanentError: the file cannot be read, or a line has no topic.
    """
    found = {}
    for number, line in enumerate(_text(path).splitlines(), 1):
        title, tab, topic = line.partition("\t")
        if not line.strip():
            continue
        if not tab or not title.strip() or not topic.strip():
            raise PermanentError(
                f"{path}, line {number}: write the title, a tab, and the topic"
            )
        found[shown(title.strip())] = topic.strip()
    return found


class _Word(BaseModel):
    model_config = ConfigDict(extra="forbid")

    system: str
    title: str
    criterion: str
    winner: str


def read_annotations(path: Path) -> list[Annotation]:
    """Return what people said: JSON lines of system, title, criterion and winner.

    `winner` is Gen, Wiki or Tie.

    Raises:
        PermanentError: the file cannot be read, or a line is of another form.
    """
    found = []
    # JSON may hold signs that `splitlines` takes for the end of a line.
    for number, line in enumerate(_text(path).split("\n"), 1):
        if not line.strip():
            continue
        try:
            word = _Word.model_validate_json(line)
            winner = winner_named(word.winner)
        except ValidationError as error:
            raise PermanentError(f"{path}, line {number}: {fault(error)}") from error
        except ValueError as error:
            raise PermanentError(f"{path}, line {number}: {error}") from error
        found.append(Annotation(word.system, shown(word.title), word.criterion, winner))
    return found


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(_MAX_BYTES + 1)
    except OSError as error:
        why = (error.strerror or "error").lower()
        raise PermanentError(f"{path} cannot be read ({why})") from error
    if len(content) > _MAX_BYTES:
        raise PermanentError(f"{path} holds more than {_MAX_BYTES:,} bytes")
    return content.decode("utf-8", "replace")
