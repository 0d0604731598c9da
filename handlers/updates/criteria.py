"""What belongs in each section of an article (WiNELL §3.1).

`ModelCriteria` asks a language model once for each outline and stores its answer in a
cache; without a usable answer, and in `OutlineCriteria`, there are only the headings, as
in the paper's ablation.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Annotated

from handlers.model import (
    Criteria,
    Engine,
    ModelFailure,
    Page,
    SectionCriteria,
    Statement,
)
from handlers.page.prose import normalised
from handlers.ports import Excerpt, LanguageModel
from handlers.updates.questions import (
    INPUT_BYTES,
    Few,
    Form,
    Line,
    Path,
    ask_model,
    heading,
    line,
    title_excerpt,
)
from handlers.updates.roles import CriteriaCache, RoleAnswer

_ENGINE = Engine("outline", "3")
_SEPARATOR = "\x1f"


class OutlineCriteria:
    """Fulfils `handlers.updates.roles.CriteriaMaker` without saying what sections want."""

    async def criteria(
        self, page: Page, _statements: Sequence[Statement]
    ) -> RoleAnswer[Criteria]:
        """Return the sections of `page`, in its order."""
        return RoleAnswer(_outline(page))


def _outline(page: Page) -> Criteria:
    paths = dict.fromkeys(section.path for section in page.sections)
    sections = (
        SectionCriteria(path, (), is_open=not is_apparatus(path)) for path in paths
    )
    return Criteria(tuple(sections), outline_sha256(page), _ENGINE)


def outline_sha256(page: Page) -> str:
    """Return the fingerprint of a page's headings and their levels."""
    lines = (
        f"{section.level}{_SEPARATOR}{_SEPARATOR.join(section.path)}"
        for section in page.sections
    )
    return sha256("\n".join(lines).encode("utf-8", "replace")).hexdigest()


# English, German, French, Spanish, Italian, Portuguese, Dutch, Polish, Russian, Swedish,
# Arabic.
_HEADINGS = """
    references,reference,notes,footnotes,citations,sources,bibliography,
    further reading,    external links,see also,notes and references,references and notes,works cited,
    general references,explanatory notes,gallery,einzelnachweise,weblinks,literatur,
    siehe auch,quellen,anmerkungen,fußnoten,références,notes et références,
    liens externes,lien externe,voir aussi,bibliographie,annexes,articles connexes,
    referencias,enlaces externos,véase también,bibliografía,notas,note,collegamenti esterni,
    altri progetti,voci correlate,bibliografia,referências,ligações externas,ver também,
    bronnen,referenties,externe links,zie ook,literatuur,przypisy,linki zewnętrzne,
    zobacz też,примечания,ссылки,литература,см также,källor,referenser,noter,
    externa länkar,se även,litteratur,مراجع,المراجع,المصادر,مصادر,هوامش,الهوامش,ملاحظات,
    وصلات خارجية,روابط خارجية,انظر أيضا,انظر أيضًا,طالع أيضا,طالع أيضًا,اقرأ أيضا,اقرأ أيضًا,
    قراءة موسعة,معرض صور,المراجع والمصادر,مراجع وملاحظات,ملاحظات ومراجع
"""
_APPARATUS = frozenset(map(normalised, _HEADINGS.split(",")))


def is_apparatus(section: tuple[str, ...]) -> bool:
    """Return whether the section, or one that contains it, takes no facts."""
    return any(normalised(heading) in _APPARATUS for heading in section)


INSTRUCTIONS = """
You know how encyclopaedia articles are built. You are shown one article: its sections, \
each with an id, its heading and the beginning of what it says.

Work out, for each section, what kinds of facts an editor would add to it in the years \
to come, and answer with the section's id and its kinds:

- Name kinds of facts, not facts: "results of elections he stands in", "takings by \
country", "people appointed to the board".
- One to four kinds for a section, each of at most twelve words, in the language of \
the article.
- Keep sections apart: a kind that fits several goes to the most specific one. The lead \
takes only what changes the picture of the subject as a whole.
- Follow this article's own way of dividing its subject and what its sections already \
record, not a general scheme.
- Give no kinds for a section that only holds other sections.
"""

_MOST_WANTS = 4
_LONGEST_WANT = 120
_MOST_SECTIONS = 80
_SHORTEST_BODY = 120  # characters that each section may always show


class SectionAnswer(Form):
    """What the model says about one section."""

    section: str
    kinds: Annotated[list[Line], Few]


class CriteriaAnswer(Form):
    """What the model says about all of them."""

    sections: Annotated[list[SectionAnswer], Few]


class ModelCriteria:
    """Fulfils `handlers.updates.roles.CriteriaMaker`."""

    def __init__(
        self,
        model: LanguageModel,
        cache: CriteriaCache | None = None,
    ) -> None:
        """Ask `model` once for each outline, if a `cache` keeps the answers."""
        self._model = model
        self._cache = cache

    async def criteria(
        self, page: Page, statements: Sequence[Statement]
    ) -> RoleAnswer[Criteria]:
        """Return criteria for each section of `page`, in its order."""
        bare = _outline(page)
        known = await self._recalled(page, bare)
        if known is not None:
            return RoleAnswer(known)
        open_sections = [one for one in bare.sections if one.is_open][:_MOST_SECTIONS]
        if not open_sections:
            return RoleAnswer(bare)
        content = _content(page, open_sections, statements, INPUT_BYTES)
        reply = await ask_model(self._model, INSTRUCTIONS, content, CriteriaAnswer)
        if reply.value is None:
            return RoleAnswer(bare, reply.use, reply.failure, reply.detail)
        wants = _wants(reply.value, open_sections)
        if not wants:
            return RoleAnswer(bare, reply.use, ModelFailure.NAMED_UNKNOWN)
        made = self._joined(bare, wants)
        if self._cache is not None:
            await self._cache.put(page.id, made)
        return RoleAnswer(made, reply.use)

    async def _recalled(self, page: Page, bare: Criteria) -> Criteria | None:
        if self._cache is None:
            return None
        stored = await self._cache.get(page.id, bare.outline_sha256, self._model.engine)
        if stored is None or stored.outline_sha256 != bare.outline_sha256:
            return None
        return self._joined(bare, {one.path: one.wants for one in stored.sections})

    def _joined(
        self, bare: Criteria, wants: Mapping[Path, tuple[str, ...]]
    ) -> Criteria:
        sections = tuple(
            replace(one, wants=wants.get(one.path, ())) for one in bare.sections
        )
        engine = self._model.engine
        return Criteria(sections, bare.outline_sha256, engine, is_worded=True)


def _wants(
    answer: CriteriaAnswer, sections: Sequence[SectionCriteria]
) -> dict[Path, tuple[str, ...]]:
    """Return the kinds for each section shown; the first answer for it counts."""
    by_id = {f"s{number}": one.path for number, one in enumerate(sections, 1)}
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
    """Yield the article in parts; each section may show equally much."""
    yield title_excerpt(page)
    texts: dict[Path, list[str]] = {}
    for one in statements:
        texts.setdefault(one.section, []).append(one.text)
    most = max(_SHORTEST_BODY, max_bytes // max(len(sections), 1) // 2)
    for number, section in enumerate(sections, 1):
        body = line(" ".join(texts.get(section.path, ())), most)
        yield Excerpt(f"section s{number}", f"{heading(section.path)}\n{body}")
