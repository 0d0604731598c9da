"""A model plans the outline of an article, from the best chunks (PRR, WikiGenBench §4).

The paper asks for names of sections alone. Here each comes with what it is to tell, for
the section's chunks are searched with those words.
"""

from collections.abc import Iterator, Sequence
from typing import Annotated

from handlers.drafts.by_model.framing import about, shown, told
from handlers.drafts.by_model.headings import cleaned, is_usable
from handlers.drafts.by_model.stating import no_statement
from handlers.drafts.roles import Planner
from handlers.model import (
    Chunk,
    DraftDocument,
    Outline,
    PlannedSection,
    Setback,
    Topic,
)
from handlers.ports import Excerpt, LanguageModel
from handlers.updates.by_model.asking import Few, Form, Line, Sizes, hear, line, within
from handlers.updates.roles import Turn
from handlers.wikitext.anchors import normalised

INSTRUCTIONS = """
You plan an encyclopaedia article before anybody writes it. You are shown its topic, the \
titles of the documents that were gathered, and parts of the best of them. Nothing else \
will be used for the article, so plan no section that these documents cannot fill.

Answer with:

- "lead": one to three short phrases for what the opening paragraph has to tell: what the \
topic is, where, when, and why it is known.
- "sections": the sections behind it in the order in which a reader needs them; for an \
event mostly what led to it, what happened in the order of time, what came of it, and \
what was said and done about it. Each has a "heading" of one to five words in the \
language of the article, as encyclopaedias word them, and in "wants" one to four short \
phrases for what the section tells, with the names, places and dates of these documents \
that a search would need.

Name what the topic itself calls for ("Casualties", "Route", "Semi-finals"), not parts of \
an essay: no introduction, conclusion or summary, no references or links, and no title \
of a document. No two sections may tell the same. Few sections with much to tell are \
better than many with little.
"""

_MOST_WANTS = 4
_LONGEST_WANT = 120
_FEWEST_SECTIONS = 1  # behind the lead


class PlannedAnswer(Form):
    """One section as the model plans it."""

    heading: Line
    wants: Annotated[list[Line], Few]


class OutlineAnswer(Form):
    """All that it plans."""

    lead: Annotated[list[Line], Few]
    sections: Annotated[list[PlannedAnswer], Few]


class ModelPlanner:
    """Fulfils `handlers.drafts.roles.Planner`."""

    def __init__(
        self,
        model: LanguageModel,
        fallback: Planner,
        sizes: Sizes | None = None,
        *,
        most_sections: int = 8,
    ) -> None:
        """Follow `model` where it gives headings that can be used, else `fallback`."""
        self._model = model
        self._fallback = fallback
        self._sizes = sizes or Sizes()
        self._most_sections = most_sections

    async def plan(
        self,
        topic: Topic,
        documents: Sequence[DraftDocument],
        chunks: Sequence[Chunk],
    ) -> Turn[Outline]:
        """Return the lead and the sections behind it."""
        if not chunks:
            return await self._fallback.plan(topic, documents, chunks)
        content = _content(topic, documents, chunks, self._sizes.input_bytes)
        heard = await hear(self._model, INSTRUCTIONS, content, OutlineAnswer)
        setback, detail = heard.setback, heard.detail
        if heard.value is not None:
            sections = _sections(heard.value, topic)[: self._most_sections]
            if len(sections) >= _FEWEST_SECTIONS:
                lead = PlannedSection("", _wants(heard.value.lead))
                made = Outline((lead, *sections), self._model.engine, is_worded=True)
                return Turn(made, heard.use)
            setback = Setback.UNREADABLE
            detail = "none of the headings that it planned can be used"
        turn = await self._fallback.plan(topic, documents, chunks)
        why = told("planner", detail or (setback.value if setback else ""))
        return Turn(turn.value, turn.use + heard.use, setback, why)


def _sections(answer: OutlineAnswer, topic: Topic) -> list[PlannedSection]:
    """Return the sections whose headings can be used, each heading once."""
    sections: dict[str, PlannedSection] = {}
    for one in answer.sections:
        heading = cleaned(one.heading)
        if is_usable(heading, topic):
            planned = PlannedSection(heading, _wants(one.wants))
            sections.setdefault(normalised(heading), planned)
    return list(sections.values())


def _wants(phrases: Sequence[str]) -> tuple[str, ...]:
    """Return phrases to search with; what states nothing is none."""
    short = (line(one, _LONGEST_WANT) for one in phrases)
    fair = [one for one in short if one and no_statement(one) is None]
    return tuple(dict.fromkeys(fair))[:_MOST_WANTS]


def _content(
    topic: Topic,
    documents: Sequence[DraftDocument],
    chunks: Sequence[Chunk],
    max_bytes: int,
) -> Iterator[Excerpt]:
    yield about(topic)
    titles = [
        line(one.reading.document.title, 200)
        for one in documents
        if one.reading.document and one.reading.document.title
    ]
    share = max_bytes // 6
    listed = "\n".join(within(list(dict.fromkeys(titles)), share))
    yield Excerpt("titles of the documents", listed or "(none)")
    yield from shown(chunks, documents, max_bytes - share).excerpts()
