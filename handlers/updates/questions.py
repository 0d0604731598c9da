"""A question to a language model: how it is asked, and how it shows the article. Pure.

Text from outside is included as excerpts, each cut to a limit and, if it is one line of
a list, folded to one line, so that it cannot pretend to be the next item. A model never
writes an address, a heading or a number of ours: it names ids from the question, and
unknown ids do not count. A statement has the same id in every question of a run.
Answers are cut to limits before they are used.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict

from handlers.model import (
    ModelFailure,
    Page,
    SectionCriteria,
    Statement,
    Subject,
    Update,
)
from handlers.ports import (
    Excerpt,
    LanguageModel,
    ModelAnswer,
    ModelOutOfReachError,
    ModelRequest,
    ModelUnusableError,
    T,
)
from handlers.text.words import content_stems, words
from handlers.updates.roles import RoleAnswer

_LONGEST_LINE = 300
_LONGEST_QUOTE = 800  # characters; longer ones are not searched for in a source anyway
_MOST_ITEMS = 100


INPUT_BYTES = 24_000  # about 6,000 tokens of English, without the instructions


@dataclass(frozen=True, slots=True)
class Sizes:
    """How large a question may be, and how much room its answer has for a draft."""

    input_bytes: int = INPUT_BYTES
    output_tokens: int = 2_000


async def ask_model(
    model: LanguageModel,
    instructions: str,
    content: Iterable[Excerpt],
    form: type[T],
) -> RoleAnswer[T | None]:
    """Return what `model` answers; whatever goes wrong becomes a failure."""
    request = ModelRequest(instructions, tuple(content), form)
    return await ask(model, request)


async def ask(model: LanguageModel, request: ModelRequest[T]) -> RoleAnswer[T | None]:
    """Return what `model` answers to a whole request; see `ask_model`."""
    try:
        reply = await model.ask(request)
    except ModelOutOfReachError as error:
        return RoleAnswer(None, error.use, ModelFailure.OUT_OF_REACH, str(error))
    except ModelUnusableError as error:
        return RoleAnswer(None, error.use, ModelFailure.UNUSABLE, str(error))
    if isinstance(reply, ModelAnswer):
        return RoleAnswer(reply.value, reply.use)
    return RoleAnswer(None, reply.use, reply.why, reply.detail)


def line(text: str, most: int = _LONGEST_LINE) -> str:
    """Return `text` on one line, of at most `most` characters."""
    folded = " ".join(text.split())
    return folded if len(folded) <= most else folded[: most - 1].rstrip() + "…"


def within(texts: Sequence[str], max_bytes: int) -> list[str]:
    """Return the first of `texts` that together stay below `max_bytes` in UTF-8."""
    fitting = []
    for text in texts:
        max_bytes -= len(text.encode("utf-8", "replace")) + 1
        if max_bytes < 0:
            break
        fitting.append(text)
    return fitting


class Form(BaseModel):
    """The form of an answer: it has every field, and no others."""

    model_config = ConfigDict(extra="forbid", strict=True)


def _quote(text: str) -> str:
    return text.strip()[:_LONGEST_QUOTE]


def _few(items: list[T]) -> list[T]:
    return items[:_MOST_ITEMS]


# Cut, not refused: a verbose model's first words are as good as another's.
Line = Annotated[str, AfterValidator(line)]
Quote = Annotated[str, AfterValidator(_quote)]
Few = AfterValidator(_few)  # of a list


Path = tuple[str, ...]

_LONGEST_TITLE = 200
_LONGEST_STATEMENT = 500
_MOST_SECTIONS = 80
_MOST_WANTS = 4


@dataclass(frozen=True, slots=True)
class Sections:
    """The sections that take facts, by the ids that questions give them."""

    by_id: dict[str, SectionCriteria]

    def path(self, given: str) -> Path | None:
        """Return the section with an id; `None` if the id is unknown."""
        found = self.by_id.get(given.strip().casefold())
        return found.path if found else None

    def id_of(self, path: Path) -> str:
        """Return the id of a section, or "none"."""
        return next(
            (key for key, one in self.by_id.items() if one.path == path), "none"
        )

    def excerpt(self) -> Excerpt:
        """Return the part of a question that shows them, with what belongs in each."""
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
    """Return the path of a section, on one line."""
    return line(" > ".join(path)) if path else "(lead)"


def subject_excerpt(subject: Subject) -> Excerpt:
    """Return the part with the article, its subject and the days that count."""
    lines = [
        f"Article: {line(subject.page.id.title, _LONGEST_TITLE)}",
        f"Also called: {line(', '.join(subject.names[1:])) or '-'}",
        f"Today: {subject.today.isoformat()}",
        f"Days that count: {subject.window}",
    ]
    return Excerpt("article", "\n".join(lines))


def title_excerpt(page: Page) -> Excerpt:
    """Return the part with only the article's title."""
    return Excerpt("article", f"Article: {line(page.id.title, _LONGEST_TITLE)}")


def article_excerpt(
    subject: Subject, near: Iterable[str | None], max_bytes: int
) -> Excerpt:
    """Return the part with the article's statements, section by section.

    If not all fit, those closest to the texts in `near` are shown. A statement's id is
    its place among all statements.
    """
    sections = sections_of(subject)
    shown: list[str] = []
    section: Path | None = None
    for at in _chosen(subject.statements, near, max_bytes):
        one = subject.statements[at]
        if one.section != section:
            section = one.section
            shown.append(f"[{sections.id_of(section)}: {heading(section)}]")
        shown.append(_line_of(at, one))
    left = len(subject.statements) - sum(one[0] == "a" for one in shown)
    if left:
        shown.append(f"({left} other statements are left out)")
    return Excerpt("statements of the article", "\n".join(shown) or "(none)")


def statement_of(given: str, subject: Subject) -> Statement | None:
    """Return the statement with an id; `None` if the id is unknown."""
    key = given.strip().casefold()
    number = key[1:]
    if key[:1] != "a" or not number.isascii() or not number.isdecimal():
        return None
    at = int(number[:6]) - 1
    return subject.statements[at] if 0 <= at < len(subject.statements) else None


def update_lines(updates: Sequence[Update]) -> list[str]:
    """Return the updates found so far, one line each, with ids such as "u1"."""
    return [
        f"u{one.number}: ({one.dated or 'no day'}) {line(one.text, _LONGEST_STATEMENT)}"
        for one in updates
    ]


def _chosen(
    statements: Sequence[Statement], near: Iterable[str | None], max_bytes: int
) -> list[int]:
    """Return the places of statements that fit, those closest to some texts first."""
    sizes = [
        len(_line_of(at, one).encode("utf-8", "replace")) + 1
        for at, one in enumerate(statements)
    ]
    if sum(sizes) <= max_bytes:
        return list(range(len(statements)))
    wanted = content_stems(word for text in near for word in words(text or ""))

    def fit(at: int) -> float:
        own = content_stems(words(statements[at].full_text))
        return len(own & wanted) / sqrt(max(len(own), 1))

    chosen = []
    for at in sorted(range(len(statements)), key=lambda at: (-fit(at), at)):
        max_bytes -= sizes[at]
        if max_bytes < 0:
            break
        chosen.append(at)
    return sorted(chosen)


def _line_of(at: int, one: Statement) -> str:
    return f"a{at + 1}: {line(one.full_text, _LONGEST_STATEMENT)}"


def _wanted(one: SectionCriteria) -> str:
    wants = "; ".join(line(want, 120) for want in one.wants[:_MOST_WANTS])
    return f" – {wants}" if wants else ""
