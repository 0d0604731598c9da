"""The six scores from 0 to 5 that a language model gives (WikiGenBench §3).

The paper has GPT-4 mark fluency, information and outline, and Prometheus 2 the rest.
Which text reads better has no honest embedded counterpart, so without a model there are
no marks. The questions are our own.
"""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from bot.research.evaluation.drafting.results import Marks
from handlers.model import Setback
from handlers.ports import Excerpt, LanguageModel
from handlers.updates.by_model.asking import Form, hear, line

NEEDS_A_MODEL = "needs a language model (see the setting language_model_address)"
_LONGEST = 40_000  # characters of a text that are shown; some 7,000 words
_MOST_HEADINGS = 60
_SCALE = """
Give whole numbers from 0 (useless) over 1 (very poor), 2 (poor), 3 (acceptable) and \
4 (good) to 5 (what a careful encyclopaedia would publish). Judge each thing by itself \
and use the whole scale. Length alone earns nothing.
"""
OF_TEXT = f"""
You are an experienced editor of an encyclopaedia. You are shown the title of an \
article and the text of an article on it, headings on lines of their own. Marks for \
footnotes were taken out; their absence is no fault. Mark the text:

- fluency: grammar, and how easily one sentence reads after the other.
- organisation: what belongs together stands together, in an order that a reader can \
follow, nothing twice.
- focus: all of it is on the subject of the title.
- coverage: the main sides of the subject are there, in fair proportion.
- information: how much of substance a reader learns: who, what, when, where, why, \
with what result.
{_SCALE}"""
OF_OUTLINE = f"""
You are an experienced editor of an encyclopaedia. You are shown the title of an \
article and its headings in order. Mark as "outline" how well these headings divide \
such a subject: clear, distinct, complete, in a sensible order, and worded as an \
encyclopaedia words them.
{_SCALE}"""

Mark = Annotated[int, Field(ge=0, le=5)]


class TextMarks(Form):
    """What a model says of a text."""

    fluency: Mark
    organisation: Mark
    focus: Mark
    coverage: Mark
    information: Mark


class OutlineMark(Form):
    """What a model says of the headings."""

    outline: Mark


async def marks_of(
    model: LanguageModel | None, title: str, text: str, headings: Sequence[str]
) -> Marks:
    """Return a model's marks of a text and its outline, or why there are none."""
    if model is None:
        return Marks(why=NEEDS_A_MODEL)
    named = Excerpt("title", line(title))
    shown = [named, Excerpt("text", text[:_LONGEST])]
    heard = await hear(model, OF_TEXT, shown, TextMarks)
    if heard.value is None:
        return Marks(why=_why(heard.setback, heard.detail))
    of = heard.value
    outline, why = await _outline(model, named, headings)
    return Marks(
        of.fluency, of.organisation, outline, of.focus, of.coverage, of.information, why
    )


async def _outline(
    model: LanguageModel, named: Excerpt, headings: Sequence[str]
) -> tuple[int | None, str]:
    if not headings:
        return 0, ""
    listed = "\n".join(line(one) for one in headings[:_MOST_HEADINGS])
    shown = [named, Excerpt("headings", listed)]
    heard = await hear(model, OF_OUTLINE, shown, OutlineMark)
    if heard.value is None:
        return None, _why(heard.setback, heard.detail)
    return heard.value.outline, ""


def _why(setback: Setback | None, detail: str) -> str:
    told = setback.value if setback else "it gave no answer"
    return f"{told}: {detail}" if detail else told
