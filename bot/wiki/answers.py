"""The answers of a wiki's API as typed values; any other shape is rejected. Pure.

The form is that of `formatversion=2`. Only what we read is named here; the rest of an
answer is ignored.

What a refusal means for an edit is sorted by `refusals.toml`, by its error code. A
refusal that is temporary, or concerns the account, must not discard a post; an unknown
one must not be mistaken for either.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Annotated, Any
from urllib.parse import quote_plus

from pydantic import AfterValidator, AwareDatetime, BaseModel, Field, StringConstraints

from bot.records.posts import Refusal
from handlers.ports import TemporaryError

_MAX_LINE = 300


def one_line(text: str) -> str:
    """Return a wiki's words in a form fit for a message: one line, printable, short."""
    words = text[: 4 * _MAX_LINE].split()
    shown = ("".join(char for char in word if char.isprintable()) for word in words)
    return " ".join(word for word in shown if word)[:_MAX_LINE]


def _whole_letters(text: str) -> str:
    text.encode("utf-8")  # lone surrogates, which JSON can hold, are a ValueError
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
    parentid: int = 0  # 0 for the first
    timestamp: datetime | None = None
    user: Line = ""  # if it was requested
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
    """The requested data."""

    pages: list[Page] = []
    redirects: list[Redirect] = []
    interwiki: list[Interwiki] = []
    prefixsearch: list[Hit] = []
    search: list[Hit] = []


class ApiError(BaseModel):
    """Why the wiki did not answer; `lag` in seconds if its database is behind."""

    code: Line
    info: Line = ""
    lag: float | None = None

    def without_tokens(self, sent: Mapping[str, str | int]) -> "ApiError":
        """Return it without the tokens that were sent, in case it repeats them."""
        info = self.info
        for name, value in sent.items():
            if name.endswith("token") and value:
                for form in {str(value), quote_plus(str(value))}:
                    info = info.replace(form, "***")
        return self.model_copy(update={"info": info})


class Reply(BaseModel):
    """An error, which any answer can be instead."""

    error: ApiError | None = None


class Answer(Reply):
    """A whole answer about a page."""

    query: Query = Query()


_MAX_TITLE = 600  # namespace and 255 bytes, with room for wikis that allow more
_MAX_NUMBER = 2**63 - 1
_MAX_TOKENS = 20
_MAX_COMMENT = 1_000  # MediaWiki keeps 500 characters


def _title(text: str) -> str:
    text.encode("utf-8")  # lone surrogates, which JSON can hold, are a ValueError
    if any(char < " " or char == "\x7f" for char in text):
        raise ValueError("not a title")
    return text


def _clipped(text: str) -> str:
    whole = text[:_MAX_COMMENT].encode("utf-8", "replace").decode()
    return whole.replace("\0", "\ufffd")


Comment = Annotated[str, AfterValidator(_clipped)]  # an edit's summary
Number = Annotated[int, Field(ge=0, le=_MAX_NUMBER)]
Namespace = Annotated[int, Field(ge=-2, le=100_000)]
Title = Annotated[str, Field(max_length=_MAX_TITLE), AfterValidator(_title)]
Name = Annotated[str, Field(max_length=300), AfterValidator(_title)]
Tags = Annotated[list[Name], Field(max_length=50)]  # of a revision
# Only positions in a list: these go back to the wiki as parameters.
Parameter = Annotated[str, StringConstraints(pattern=r"^[a-z]{0,30}(continue|offset)$")]
Place = Annotated[str, Field(max_length=3_000)] | int


class NamedPage(BaseModel):
    """A page of a list."""

    title: Title
    ns: Namespace = 0


class NamespaceNames(BaseModel):
    """A namespace; `name` is empty for articles."""

    id: Namespace
    name: Name
    canonical: Name = ""


class Alias(BaseModel):
    """Another name of a namespace."""

    id: Namespace
    alias: Name


class Renamed(BaseModel):
    """A title as it was asked for and as the wiki writes it."""

    source: str = Field(alias="from")
    target: Title = Field(alias="to")


class TextRevision(BaseModel):
    """One revision; `slots` has "main" unless its text is lost or hidden."""

    revid: Number
    timestamp: AwareDatetime
    slots: dict[str, Slot] = {}


class Entry(BaseModel):
    """A page that was asked for; part of it, if the answer is long."""

    title: str  # of an invalid one, whatever was asked for
    ns: Namespace = 0
    pageid: Number | None = None
    lastrevid: Number = 0
    redirect: bool = False
    missing: bool = False
    invalid: bool = False
    special: bool = False
    categories: list[NamedPage] = []
    templates: list[NamedPage] = []
    revisions: list[TextRevision] = []

    @property
    def is_there(self) -> bool:
        """Whether the wiki has such a page."""
        return self.pageid is not None and not (
            self.missing or self.invalid or self.special
        )


class User(BaseModel):
    """An account, or a name that has none."""

    name: str
    missing: bool = False
    invalid: bool = False
    userid: Number | None = None
    centralids: dict[str, Number] = {}
    editcount: Number | None = None  # none for an IP address
    blockid: Number | None = None
    blockpartial: bool = False
    rights: list[str] = []


class GlobalUser(BaseModel):
    """An account on all wikis that share accounts."""

    locked: bool = False


class OwnEdit(NamedPage):
    """An edit of an account, as far as it was asked for."""

    title: Title = ""
    timestamp: datetime | None = None


class PendingEntry(NamedPage):
    """A page with edits that wait for review, as the extension FlaggedRevs lists it."""

    revid: Number
    stable_revid: Number
    pending_since: AwareDatetime


class Listed(BaseModel):
    """The requested data."""

    namespaces: dict[str, NamespaceNames] = {}
    namespacealiases: list[Alias] = []
    normalized: list[Renamed] = []
    pages: list[Entry] = []
    embeddedin: list[NamedPage] = []
    categorymembers: list[NamedPage] = []
    search: list[NamedPage] = []
    users: list[User] = []
    globaluserinfo: GlobalUser = GlobalUser()
    oldreviewedpages: list[PendingEntry] | None = None  # none without the extension
    usercontribs: list[OwnEdit] = []
    recentchanges: list[Any] = []  # read one by one: a bad one spoils no other


class ListAnswer(Reply):
    """A whole answer; send `continuation` back for the rest, if there is any."""

    query: Listed = Listed()
    watchlistraw: list[NamedPage] = Field(default_factory=list)
    continuation: dict[Parameter, Place] = Field(
        {}, alias="continue", max_length=_MAX_TOKENS
    )


class SpamReply(BaseModel):
    """Whether a wiki refuses an address among those that were asked for."""

    result: Annotated[str, Field(pattern=r"^(ok|blacklisted)$")]


class SpamAnswer(Reply):
    """A whole answer of `action=spamblacklist`."""

    spamblacklist: SpamReply | None = None


class NotSent(TemporaryError):  # noqa: N818 - it tells what happened
    """The request did not reach the wiki, or was rejected before it was read."""


class NoAnswer(TemporaryError):  # noqa: N818 - it tells what happened
    """The request was sent and its answer is lost or makes no sense."""


class Scope(Enum):
    """What a refusal concerns, and for how long; the value is its table's name."""

    ACCOUNT = "account"  # someone must act
    WIKI = "wiki"  # temporary
    POST = "post"  # temporary
    AGAIN = "again"  # reading the page again is enough
    PAGE = "page"  # permanent
    DOUBT = "doubt"  # the edit may have been made


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a code means; `reason` says why the post is never made, if that is so."""

    scope: Scope
    words: str
    reason: Refusal | None = None


def meaning_of(code: str, info: str = "") -> Meaning | None:
    """Return what an error means for an edit; `None` if the code is not known."""
    text = f"{code}: {info.lower()}"
    for pattern, meaning in _table().items():
        if fnmatchcase(text if ": " in pattern else code, pattern):
            return meaning
    return None


@cache
def _table() -> MappingProxyType[str, Meaning]:
    """Return the meanings by pattern, whole codes and long patterns first."""
    text = files("bot.wiki").joinpath("refusals.toml").read_text("utf-8")
    found = {
        pattern: _meaning(Scope(scope), words)
        for scope, rows in tomllib.loads(text).items()
        for pattern, words in rows.items()
    }
    order = sorted(found, key=lambda each: ("*" in each, -len(each)))
    return MappingProxyType({each: found[each] for each in order})


def _meaning(scope: Scope, words: str) -> Meaning:
    if scope is Scope.PAGE:
        return Meaning(scope, Refusal[words].value, Refusal[words])
    return Meaning(scope, words)
