"""A model says what belongs into each section, from the whole article (§3.1).

What it said holds for as long as the outline stays: it is kept on a shelf. Where it
gives no usable answer the headings speak for themselves, as in the paper's ablation.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated

from handlers.model import Criteria, Page, SectionCriteria, Setback, Statement
from handlers.ports import Excerpt, LanguageModel
from handlers.updates.by_model.article import Path, heading, title_of
from handlers.updates.by_model.asking import Few, Form, Line, Sizes, hear, line
from handlers.updates.roles import CriteriaShelf, Turn
from handlers.updates.subject import OutlineCriteria

INSTRUCTIONS = """
You know how encyclopaedia articles are built. You are shown one article: its sections, \
each with an id, its heading and the beginning of what it says.

Work out, for each section, what kinds of facts an editor would add to it in the years \
to come, and answer with the section's id and its kinds:

- Name kinds of facts, not facts: "results of elections he stands in", "takings by \
country", "people appointed to the board".
- One to four kinds for a section, each of at most twelve words, in the language of \
the article.
- Tell sections apart: a kind that fits several goes to the one that is most special. \
The lead takes only what changes the picture of the subject as a whole.
- Kinds come from this article's own way of dividing its subject, and from what its \
sections already record, not from a general scheme.
- For a section that holds no facts of its own, such as lists of references or links, \
give no kinds.
"""

_MOST_WANTS = 4
_LONGEST_WANT = 120
_MOST_SECTIONS = 80
_SHORTEST_BODY = 120  # characters that each section may show at least


class SectionAnswer(Form):
    """What the model says of one section."""

    section: str
    kinds: Annotated[list[Line], Few]


class CriteriaAnswer(Form):
    """What the model says of all of them."""

    sections: Annotated[list[SectionAnswer], Few]


class ModelCriteria:
    """Fulfils `handlers.updates.roles.CriteriaMaker`."""

    def __init__(
        self,
        model: LanguageModel,
        shelf: CriteriaShelf | None = None,
        sizes: Sizes | None = None,
    ) -> None:
        """Ask `model` once for an outline, where a `shelf` remembers."""
        self._model = model
        self._shelf = shelf
        self._sizes = sizes or Sizes()

    async def criteria(
        self, page: Page, statements: Sequence[Statement]
    ) -> Turn[Criteria]:
        """Return criteria for each section of `page`, in its order."""
        bare = (
            await OutlineCriteria(by_content=False).criteria(page, statements)
        ).value
        known = await self._recalled(page, bare)
        if known is not None:
            return Turn(known)
        asked = bare.sections[:_MOST_SECTIONS]
        content = _content(page, asked, statements, self._sizes.input_bytes)
        heard = await hear(self._model, INSTRUCTIONS, content, CriteriaAnswer)
        if heard.value is None:
            return Turn(bare, heard.use, heard.setback, heard.detail)
        wants = _wants(heard.value, asked)
        if not wants:
            return Turn(bare, heard.use, Setback.NAMED_UNKNOWN)
        made = self._joined(bare, wants)
        if self._shelf is not None:
            await self._shelf.put(page.id, made)
        return Turn(made, heard.use)

    async def _recalled(self, page: Page, bare: Criteria) -> Criteria | None:
        if self._shelf is None:
            return None
        kept = await self._shelf.get(page.id, bare.outline_sha256, self._model.engine)
        if kept is None or kept.outline_sha256 != bare.outline_sha256:
            return None
        return self._joined(bare, {one.path: one.wants for one in kept.sections})

    def _joined(
        self, bare: Criteria, wants: Mapping[Path, tuple[str, ...]]
    ) -> Criteria:
        sections = tuple(
            replace(one, wants=wants.get(one.path, ())) for one in bare.sections
        )
        engine = self._model.engine
        return Criteria(sections, bare.outline_sha256, engine, is_worded=True)


def _wants(
    answer: CriteriaAnswer, asked: Sequence[SectionCriteria]
) -> dict[Path, tuple[str, ...]]:
    """Return the kinds of each section that was shown; the first word on one counts."""
    by_id = {f"s{number}": one.path for number, one in enumerate(asked, 1)}
    wants: dict[Path, tuple[str, ...]] = {}
    for one in answer.sections:
        path = by_id.get(one.section.strip().casefold())
        kinds = tuple(
            line(kind, _LONGEST_WANT) for kind in one.kinds[:_MOST_WANTS] if kind
        )
        if path is not None and kinds:
            wants.setdefault(path, kinds)
    return wants


def _content(
    page: Page,
    sections: Sequence[SectionCriteria],
    statements: Sequence[Statement],
    max_bytes: int,
) -> Iterator[Excerpt]:
    """Yield the article in parts; each section may show as much as any other."""
    yield title_of(page)
    said: dict[Path, list[str]] = {}
    for one in statements:
        said.setdefault(one.section, []).append(one.text)
    most = max(_SHORTEST_BODY, max_bytes // max(len(sections), 1) // 2)
    for number, section in enumerate(sections, 1):
        body = line(" ".join(said.get(section.path, ())), most)
        yield Excerpt(f"section s{number}", f"{heading(section.path)}\n{body}")
