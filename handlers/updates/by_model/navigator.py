"""A model chooses the next query or document, or stops (§3.2).

It opens only what a search of this run has found, by the id that the question gave
it: an address that it writes itself has no place in its answer. Its query always
names the subject, so that nobody who wrote on a page has our searches work for them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from handlers.citations.addresses import normal_key
from handlers.citations.flagging import language_of
from handlers.model import (
    Ask,
    Found,
    Move,
    Open,
    Query,
    Setback,
    SoFar,
    Stop,
    Stopped,
    Subject,
)
from handlers.ports import Excerpt, LanguageModel
from handlers.updates.by_model.asking import (
    Form,
    Heard,
    Line,
    Sizes,
    hear,
    line,
    within,
)
from handlers.updates.by_model.framing import (
    about,
    heading,
    sections_of,
    update_lines,
)
from handlers.updates.by_model.queries import tidy
from handlers.updates.roles import Navigator, Turn

INSTRUCTIONS = """
You look for what has happened to the subject of an encyclopaedia article within the \
days that count and the article does not say yet. Others read the pages and decide; \
you choose one next step:

- "open": read a document that the searches found. Give its id. Choose one that reports \
facts about this very subject, from the days that count, and that is likely to say \
something that the updates found so far do not. Prefer who was there first or is \
answerable for the fact (official bodies, established press, journals).
- "ask": put a new query to the searches. Write it as one would type it: names and two \
or three telling words, at most twelve words, no operators and no addresses. Aim at a \
section whose facts may have changed and that no query has covered, at a name or event \
that an update brought up, or at a hint. Never repeat a query; where one found \
nothing, go about it in other words or turn to another side of the subject.
- "stop": nothing promising is left.

As long as a promising document is unopened, open rather than ask. Give the id of the \
section that you hope to find something for, or leave it empty. Say why in one short \
sentence that a reader can understand. Leave the fields empty that your step does not \
need.
"""

_MOST_SHOWN = 20  # documents
_LONGEST_EXCERPT = 300


class MoveAnswer(Form):
    """The step that the model chooses. A step that does not exist is let in, and told."""

    step: str
    query: Line
    document: str
    section: str
    why: Line


class ModelNavigator:
    """Fulfils `handlers.updates.roles.Navigator`."""

    def __init__(
        self, model: LanguageModel, fallback: Navigator, sizes: Sizes | None = None
    ) -> None:
        """Follow `model` as far as its steps can be taken, else `fallback`."""
        self._model = model
        self._fallback = fallback
        self._sizes = sizes or Sizes()

    async def next_move(self, subject: Subject, so_far: SoFar) -> Turn[Move]:
        """Return the next move; a document is opened at most once."""
        waiting = _waiting(so_far)
        heard = await hear(
            self._model,
            INSTRUCTIONS,
            _content(subject, so_far, waiting, self._sizes.input_bytes),
            MoveAnswer,
        )
        move = _understood(heard, subject, so_far, waiting)
        if not isinstance(move, Setback):
            return Turn(move, heard.use)
        turn = await self._fallback.next_move(subject, so_far)
        instead = _marked(turn.value, so_far)
        return Turn(instead, turn.use + heard.use, move, heard.detail)


def _marked(move: Move, so_far: SoFar) -> Move:
    """Return a move, marked where it asks what a model hinted at."""
    if isinstance(move, Ask) and move.query.claim in so_far.hints:
        return replace(move, is_worded=True)
    return move


def _waiting(so_far: SoFar) -> list[Found]:
    """Return the documents that may be opened, the best first."""
    return [one for one in so_far.hits if normal_key(one.address) not in so_far.opened][
        :_MOST_SHOWN
    ]


def _understood(
    heard: Heard[MoveAnswer],
    subject: Subject,
    so_far: SoFar,
    waiting: Sequence[Found],
) -> Move | Setback:
    answer = heard.value
    if answer is None:
        return heard.setback or Setback.UNREADABLE
    step = answer.step.strip().casefold()
    if step == "open":
        by_id = {f"d{number}": one for number, one in enumerate(waiting, 1)}
        found = by_id.get(answer.document.strip().casefold())
        return (
            Open(found, answer.why, is_worded=True) if found else Setback.NAMED_UNKNOWN
        )
    if step == "ask":
        return _query(answer, subject, so_far)
    if step == "stop":  # before anything was asked, there is nothing to stop
        return Stop(Stopped.ENOUGH) if so_far.queries else Setback.LEFT_OUT
    return Setback.NAMED_UNKNOWN


def _query(answer: MoveAnswer, subject: Subject, so_far: SoFar) -> Ask | Setback:
    text = tidy(answer.query, subject)
    if text is None:
        return Setback.LEFT_OUT
    if text.casefold() in {one.claim.casefold() for one in so_far.queries}:
        return Setback.REPEATED
    section = sections_of(subject).path(answer.section) or ()
    query = Query(
        text,
        subject.names[0],
        section,
        window=subject.window,
        language=language_of(subject.page.id.wiki),
    )
    return Ask(query, answer.why, is_worded=True)


def _content(
    subject: Subject, so_far: SoFar, waiting: Sequence[Found], max_bytes: int
) -> Iterator[Excerpt]:
    yield about(subject)
    yield sections_of(subject).excerpt()
    share = max_bytes // 6
    asked = [f"({heading(one.section)}) {line(one.claim)}" for one in so_far.queries]
    for label, texts in (
        ("queries so far", asked),
        ("hints not yet followed", [line(one) for one in so_far.hints]),
        ("updates found so far", update_lines(so_far.updates)),
    ):
        last_first = within(texts[::-1], share)
        yield Excerpt(label, "\n".join(last_first[::-1]) or "(none)")
    for number, one in enumerate(waiting, 1):
        yield Excerpt(f"document d{number}, not opened yet", _shown(one))
    yield Excerpt("steps left", str(so_far.steps_left))


def _shown(found: Found) -> str:
    lines = [
        f"Title: {line(found.title or '-', 200)}",
        f"Address: {line(_on_the_web(found.address), 200)}",
        f"Day, as the search has it: {found.published or 'unknown'}",
        f"Excerpt: {line(found.excerpt, _LONGEST_EXCERPT)}",
    ]
    return "\n".join(lines)


def _on_the_web(address: str) -> str:
    """Return a web address; of a file on this machine nobody is told where it lies."""
    return address if address.startswith(("http://", "https://")) else "-"
