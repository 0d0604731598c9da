"""The forms of the benchmark's files, checked where they enter.

Its own files are loose: a reference is one number, a list or nothing, an address
likewise, and a page that could not be fetched has an error in place of a text.
"""

from typing import Annotated, Any, TypeAlias

from pydantic import (
    AfterValidator,
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    TypeAdapter,
)

from bot.research.evaluation.wiki_live.values import (
    Agency,
    CitedPage,
    Generated,
    Reference,
    Statement,
)

_LONGEST_TEXT = 2_000_000  # characters of an article or a page
_LONGEST_STATEMENT = 20_000
_MOST = 20_000  # statements of an article


def _listed(value: Any) -> Any:
    """Return a list for a list, a single value or nothing."""
    if value is None or value == "":
        return []
    items = value if isinstance(value, list) else [value]
    return [
        str(one) if isinstance(one, int) else one for one in items if one is not None
    ]


def _text(value: Any) -> Any:
    return "" if value is None else value


def _items(value: Any) -> Any:
    return [] if value is None else value


def _object(value: Any) -> Any:
    return {} if value is None else value


def _cut(value: Any) -> Any:
    """Return the beginning of a page: one that is too long costs no article."""
    return value[:_LONGEST_TEXT] if isinstance(value, str) else _text(value)


Listed: TypeAlias = Annotated[list[str], BeforeValidator(_listed)]
Text: TypeAlias = Annotated[
    str, BeforeValidator(_text), Field(max_length=_LONGEST_TEXT)
]


Cut: TypeAlias = Annotated[str, BeforeValidator(_cut)]


def _in_one_form(title: str) -> str:
    return title.strip().replace(" ", "_")


# Most files write titles with underscores, some of them without.
Title: TypeAlias = Annotated[
    str, Field(min_length=1, max_length=500), AfterValidator(_in_one_form)
]


class Loose(BaseModel):
    """A form that may hold more than is read."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class StatementForm(Loose):
    """A statement of a generated article; some in the data lack their words."""

    fact: Annotated[str, BeforeValidator(_text)] = Field(
        default="",
        max_length=_LONGEST_STATEMENT,
        validation_alias=AliasChoices("fact", "statement"),
    )
    ref_idx: Listed = []
    url: Listed = []


class PageForm(Loose):
    """A cited page, or why it has no text."""

    url: Text = ""
    title: Cut = ""
    content: Cut = ""
    error: Cut = ""


class GeneratedForm(Loose):
    """A generated article, the value of a page in `json_data/*.json`."""

    title: Title
    extract: Text = ""
    pageid: int | None = None
    citation_urls: Annotated[dict[str, Text], BeforeValidator(_object)] = {}
    statements: Annotated[list[StatementForm], BeforeValidator(_items)] = Field(
        default=[], max_length=_MOST
    )
    citation_contents: Annotated[
        dict[str, Annotated[PageForm, BeforeValidator(_object)]],
        BeforeValidator(_object),
    ] = {}
    source_file: Text = ""

    def value(self, sha256: str) -> Generated:
        """Return what was read; statements without words keep their place."""
        return Generated(
            title=self.title,
            text=self.extract,
            statements=tuple(
                Statement(one.fact.strip(), tuple(one.ref_idx), tuple(one.url))
                for one in self.statements
            ),
            citation_urls=dict(self.citation_urls),
            pages={
                number: CitedPage(one.url, one.title, one.content, one.error)
                for number, one in self.citation_contents.items()
            },
            page_id=self.pageid,
            source_file=self.source_file,
            sha256=sha256,
        )


class _Pages(Loose):
    pages: dict[str, GeneratedForm] = Field(min_length=1, max_length=1)


class GeneratedFile(Loose):
    """A file of `json_data/`."""

    query: _Pages

    @property
    def article(self) -> GeneratedForm:
        """The one article in it."""
        return next(iter(self.query.pages.values()))


class ReferenceForm(Loose):
    """A line of the shared file of Good Articles."""

    title: Title
    article_markdown: Text = ""
    statements: list[str] = Field(default=[], max_length=_MOST)
    extract: Text = ""

    def value(self) -> Reference:
        """Return what was read."""
        facts = tuple(one.strip() for one in self.statements if one.strip())
        return Reference(self.title, self.article_markdown, facts, self.extract)


class _Fact(Loose):
    fact: str = Field(max_length=_LONGEST_STATEMENT)


class _ReferencePage(Loose):
    title: Text = ""
    extract: Text = ""
    statements: list[str | _Fact] = Field(default=[], max_length=_MOST)


class _ReferencePages(Loose):
    pages: dict[str, _ReferencePage] = Field(min_length=1)


class _ReferenceQuery(Loose):
    query: _ReferencePages


class _Statements(Loose):
    statements: list[str | _Fact] = Field(max_length=_MOST)


# The repository's page does not show a statement file of `wiki_data`; all of these
# are read: that of generated articles, an object with statements, and a bare list.
ReferenceFacts: TypeAlias = list[str | _Fact] | _Statements | _ReferenceQuery
REFERENCE_FACTS: TypeAdapter[ReferenceFacts] = TypeAdapter(ReferenceFacts)


def facts_in(form: ReferenceFacts) -> tuple[str, ...]:
    """Return the facts of a statement file, in whichever form it was."""
    if isinstance(form, _ReferenceQuery):
        found = next(iter(form.query.pages.values())).statements
    else:
        found = form.statements if isinstance(form, _Statements) else form
    texts = (one if isinstance(one, str) else one.fact for one in found)
    return tuple(one.strip() for one in texts if one.strip())


class AgencyForm(BaseModel):
    """A system in the registry."""

    model_config = ConfigDict(extra="allow", frozen=True)
    name: str = Field(min_length=1, max_length=200)
    description: str = Field(default="", max_length=2_000)
    has_citations: bool = True
    enabled: bool = True

    def value(self) -> Agency:
        """Return what was read."""
        return Agency(self.name, self.description, self.has_citations, self.enabled)


class RegistryForm(BaseModel):
    """The registry, `agencies.json`."""

    model_config = ConfigDict(extra="allow")
    description: str = "Registered agencies for Wiki Live Challenge evaluation"
    version: str = "1.0"
    agencies: dict[str, AgencyForm]


class JudgementForm(Loose):
    """One statement in a citation result file."""

    statement_index: int = Field(ge=0)
    statement: str
    citation_num: str
    citation_url: Text = ""
    verdict: str
    reason: Text = ""


class JudgementsForm(Loose):
    """A citation result file of one article."""

    title: Title
    results: list[JudgementForm]
