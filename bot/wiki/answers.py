"""The API's answers as typed values; anything of another shape is refused. Pure.

Only what reading a page needs is named here; the rest of an answer is ignored.
The form is that of `formatversion=2`.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated
from urllib.parse import quote_plus

from pydantic import AfterValidator, BaseModel, Field

_MAX_LINE = 300


def one_line(text: str) -> str:
    """Return a wiki's words made fit for a message: one line, printable, short."""
    words = text[: 4 * _MAX_LINE].split()
    shown = ("".join(char for char in word if char.isprintable()) for word in words)
    return " ".join(word for word in shown if word)[:_MAX_LINE]


def _whole_letters(text: str) -> str:
    text.encode("utf-8")  # halves of letters, which JSON can hold, are a ValueError
    return text


Line = Annotated[str, AfterValidator(one_line)]
Text = Annotated[str, AfterValidator(_whole_letters)]


class Slot(BaseModel):
    """The text of a revision."""

    content: Text | None = None
    contentmodel: Line = "wikitext"
    texthidden: bool = False


class Revision(BaseModel):
    """One revision; `slots` has "main" unless its text is lost."""

    revid: int
    timestamp: datetime | None = None
    user: Line = ""  # where it was asked for
    slots: dict[str, Slot] = {}


class Page(BaseModel):
    """A page, or why there is none under that title."""

    title: Line
    pageid: int | None = None
    ns: int = 0
    missing: bool = False
    invalid: bool = False
    invalidreason: Line = ""
    special: bool = False
    revisions: list[Revision] = []


class Redirect(BaseModel):
    """One redirect that the wiki followed."""

    source: Line = Field(alias="from")
    target: Line = Field(alias="to")
    fragment: Line = Field("", alias="tofragment")


class Interwiki(BaseModel):
    """A title that belongs to another wiki."""

    title: Line
    iw: Line


class Hit(BaseModel):
    """A page that a search found."""

    title: Line


class Query(BaseModel):
    """What was asked for."""

    pages: list[Page] = []
    redirects: list[Redirect] = []
    interwiki: list[Interwiki] = []
    prefixsearch: list[Hit] = []
    search: list[Hit] = []


class ApiError(BaseModel):
    """Why the wiki did not answer; `lag` in seconds where its database is behind."""

    code: Line
    info: Line = ""
    lag: float | None = None

    def without_tokens(self, sent: Mapping[str, str | int]) -> "ApiError":
        """Return it without the tokens that were sent, should it repeat them."""
        info = self.info
        for name, value in sent.items():
            if name.endswith("token") and value:
                for form in {str(value), quote_plus(str(value))}:
                    info = info.replace(form, "***")
        return self.model_copy(update={"info": info})


class Reply(BaseModel):
    """What every answer can be instead: a refusal."""

    error: ApiError | None = None


class Answer(Reply):
    """A whole answer about a page."""

    query: Query = Query()
