"""What came of one article, in a form that is kept on disk until all are done."""

from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from bot.research.evaluation.wiki_live.judge import Said
from bot.research.evaluation.wiki_live.page_text import Unread
from bot.sources.files import replacing, unwritten
from handlers.model import ModelUse


@dataclass(frozen=True, slots=True)
class FactResult:
    """A fact of the Good Article, and whether the system's statements bear it out.

    `nearest` is the index of the likest statement that does not leak, if there is one.
    """

    text: str
    said: Said
    nearest: int | None = None


@dataclass(frozen=True, slots=True)
class StatementResult:
    """A statement of a system.

    `by_wiki` is the word on it by the Good Article's facts, `by_pages` that by the
    pages it cites; where nothing was read, `unread` tells why. `is_leaked`: it cites
    the article itself; `cites_wikipedia`: that or another article of Wikipedia.
    """

    text: str
    refs: tuple[str, ...]
    urls: tuple[str, ...]
    is_leaked: bool
    cites_wikipedia: bool
    by_wiki: Said
    by_pages: Said | None = None
    unread: Unread | None = None


@dataclass(frozen=True, slots=True)
class ArticleResult:
    """All that was judged of one article of one system. `key` tells from what."""

    system: str
    title: str
    key: str
    facts: tuple[FactResult, ...]
    statements: tuple[StatementResult, ...]
    citations: int = 0  # numbers in its list of references
    pages: int = 0  # of these, how many could be read
    took_s: float = 0.0
    cpu_s: float = 0.0
    use: ModelUse = field(default_factory=ModelUse)
    unanswered: int = 0


_FORM = TypeAdapter(ArticleResult)


def save(folder: Path, result: ArticleResult) -> None:
    """Keep what came of an article; a kill leaves no half of it.

    Two runs may keep it in one folder at once.

    Raises:
        PermanentError: the folder cannot be written to.
        TemporaryError: the disk is full.
    """
    place = _place(folder, result.system, result.title)
    try:
        with replacing(place, _FORM.dump_json(result).decode()):
            pass
    except OSError as error:
        raise unwritten(str(place), error) from error


def load(folder: Path, system: str, title: str, key: str) -> ArticleResult | None:
    """Return what came of an article; `None` where it is not kept, or out of date."""
    try:
        kept = _FORM.validate_json(_place(folder, system, title).read_bytes())
    except (OSError, ValidationError):
        return None
    return kept if kept.key == key else None


def _place(folder: Path, system: str, title: str) -> Path:
    # A title may be longer than a file's name may be, and two may differ in case.
    name = sha256(title.encode("utf-8", "replace")).hexdigest()[:24]
    return folder / system / f"{name}.json"
