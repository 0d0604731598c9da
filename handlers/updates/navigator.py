"""A model chooses the next query or document, or stops (§3.2).

It sees what the article says, so that it searches for what is missing or may have
changed. It can only open what a search of this run has found, by an id from the
question; its answer has no field for an address. A page that it read may have told it
what to search for. So its query may contain no address and no operator, and always
names the subject.
"""

import re
from collections.abc import Iterator, Sequence

from handlers.citations.flags import language_of
from handlers.model import (
    Ask,
    Found,
    ModelFailure,
    Move,
    Open,
    Query,
    RunHistory,
    Stop,
    Stopped,
    Subject,
)
from handlers.ports import Excerpt, LanguageModel
from handlers.sources.addresses import normal_key
from handlers.text.words import content_stems, words
from handlers.updates.questions import (
    INPUT_BYTES,
    Form,
    Line,
    article_excerpt,
    ask_model,
    heading,
    line,
    sections_of,
    subject_excerpt,
    update_lines,
    within,
)
from handlers.updates.roles import RoleAnswer

INSTRUCTIONS = """
You look for what has happened to the subject of an encyclopaedia article within the \
days that count, and what the article does not say yet or says otherwise. You are shown \
what the article says. Others read the documents and decide; you choose one next step:

- "open": read a document that the searches found. Give its id. Choose one about this \
very subject that is likely to state facts which neither the article nor the updates \
found so far have. Prefer the sources closest to the facts: official bodies, established \
newspapers, journals.
- "ask": send a new query to the searches, worded as one would type it: names and two or \
three distinctive words, at most twelve in all, no operators and no addresses. Ask about \
what the article calls open, planned or under way, about figures and posts that may have \
changed, about a section that says little, or about a lead. Never repeat a query; if one \
found nothing, use other words or ask about something else.
- "stop": nothing promising is left.

While a promising document is unopened, open it rather than ask. Give the id of the \
section that you hope to find something for, or leave it empty. Say why in one short \
sentence that a reader can understand. Leave empty the fields that your step does not \
need.
"""

_MOST_SHOWN = 20  # documents
_LONGEST_EXCERPT = 300
_LONGEST_QUERY = 200  # characters; some services refuse longer ones
_OPERATORS = re.compile(
    r"https?:\S*|\bwww\.\S*|\b\w{2,12}:(?=\S)|(?<!\S)[-+](?=\w)"
    r"|[\"“”„«»()|+*<>\[\]{}\\=]",
    re.IGNORECASE,
)


class MoveAnswer(Form):
    """The step that the model chooses; an unknown one is reported."""

    step: str
    query: Line
    document: str
    section: str
    why: Line


class ModelNavigator:
    """Implements `handlers.updates.roles.Navigator`."""

    def __init__(self, model: LanguageModel) -> None:
        """Follow `model` as far as its steps are possible."""
        self._model = model

    async def next_move(
        self, subject: Subject, history: RunHistory
    ) -> RoleAnswer[Move | None]:
        """Return the next move, or `None` and the reason, if the model names none."""
        waiting = _waiting(history)
        content = _content(subject, history, waiting, INPUT_BYTES)
        reply = await ask_model(self._model, INSTRUCTIONS, content, MoveAnswer)
        if reply.value is None:
            return RoleAnswer(None, reply.use, reply.failure, reply.detail)
        move = _understood(reply.value, subject, history, waiting)
        if isinstance(move, ModelFailure):
            return RoleAnswer(None, reply.use, move)
        return RoleAnswer(move, reply.use)


def _waiting(history: RunHistory) -> list[Found]:
    """Return the documents that may be opened, the best first."""
    return [
        one for one in history.hits if normal_key(one.address) not in history.opened
    ][:_MOST_SHOWN]


def _understood(
    answer: MoveAnswer,
    subject: Subject,
    history: RunHistory,
    waiting: Sequence[Found],
) -> Move | ModelFailure:
    step = answer.step.strip().casefold()
    if step == "open":
        by_id = {f"d{number}": one for number, one in enumerate(waiting, 1)}
        found = by_id.get(answer.document.strip().casefold())
        return (
            Open(found, answer.why, is_worded=True)
            if found
            else ModelFailure.NAMED_UNKNOWN
        )
    if step == "ask":
        return _query(answer, subject, history)
    if step == "stop":  # nothing was searched yet, so there is nothing to stop
        return Stop(Stopped.ENOUGH) if history.queries else ModelFailure.LEFT_OUT
    return ModelFailure.NAMED_UNKNOWN


def _query(
    answer: MoveAnswer, subject: Subject, history: RunHistory
) -> Ask | ModelFailure:
    text = as_query(answer.query, subject)
    if text is None:
        return ModelFailure.LEFT_OUT
    if text.casefold() in {one.claim.casefold() for one in history.queries}:
        return ModelFailure.REPEATED
    section = sections_of(subject).path(answer.section) or ()
    query = Query(
        text,
        subject.names[0],
        section,
        window=subject.window,
        language=language_of(subject.page.id.wiki),
    )
    return Ask(query, answer.why, is_worded=True)


def as_query(text: str, subject: Subject) -> str | None:
    """Return `text` as a query about the subject; `None` if nothing remains of it."""
    query = line(_OPERATORS.sub(" ", text), _LONGEST_QUERY)
    stems = content_stems(words(query))
    if not stems:
        return None
    if not any(stems & content_stems(words(name)) for name in subject.names):
        query = line(f"{subject.names[0]} {query}", _LONGEST_QUERY)
    return query


def _content(
    subject: Subject, history: RunHistory, waiting: Sequence[Found], max_bytes: int
) -> Iterator[Excerpt]:
    yield subject_excerpt(subject)
    yield sections_of(subject).excerpt()
    share = max_bytes // 6
    near = [*history.leads, *(one.title for one in waiting)]
    yield article_excerpt(subject, near, 2 * share)
    queries = [f"({heading(one.section)}) {line(one.claim)}" for one in history.queries]
    for label, texts in (
        ("queries so far", queries),
        ("leads not yet followed", [line(one) for one in history.leads]),
        ("updates found so far", update_lines(history.updates)),
    ):
        last_first = within(texts[::-1], share)
        yield Excerpt(label, "\n".join(last_first[::-1]) or "(none)")
    for number, one in enumerate(waiting, 1):
        yield Excerpt(f"document d{number}, not opened yet", _shown(one))
    if history.refused:
        yield Excerpt("your last step could not be taken", history.refused)
    yield Excerpt("steps left", str(history.steps_left))


def _shown(found: Found) -> str:
    lines = [
        f"Title: {line(found.title or '-', 200)}",
        f"Address: {line(_on_the_web(found.address), 200)}",
        f"Day, as the search has it: {found.published or 'unknown'}",
        f"Excerpt: {line(found.excerpt, _LONGEST_EXCERPT)}",
    ]
    return "\n".join(lines)


def _on_the_web(address: str) -> str:
    """Return a web address, but never the path of a file on this machine."""
    return address if address.startswith(("http://", "https://")) else "-"
