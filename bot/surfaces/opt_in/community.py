"""What a wiki's community decided, in one JSON page of that wiki.

The page is accepted whole or not at all: if one limit has a mistake, the community's
other choices must not be mixed with values that it never chose. Readers of the page
keep its last valid version. The words are those of MediaWiki's own edit checks where
they mean the same. Pure.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
)

from bot.records.watches import Check, CommunityPage, NoteKind, Policy, Rate, Surface
from bot.surfaces.opt_in import values
from bot.surfaces.opt_in.values import Fault, spoken_interval
from bot.wiki.pages import PageText
from handlers.citations.flags import LEAST_THRESHOLD
from handlers.model import CheckKind, Message, TagKind, Trust
from handlers.registry import KINDS

_MAX_CHARS = 100_000
_SHOWN = 80


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return "".join((first, *(word.capitalize() for word in rest)))


def _folded(names: tuple[str, ...]) -> tuple[str, ...]:
    lines = (" ".join(name.replace("_", " ").split()) for name in names)
    return tuple(dict.fromkeys(line for line in lines if line))


def _spoken(parse: Any) -> BeforeValidator:
    def read(written: object) -> object:
        if not isinstance(written, str):
            raise ValueError("write it as a text in quotes")
        return parse(written)

    return BeforeValidator(read)


_Name = Annotated[str, Field(min_length=1, max_length=300)]
_Names = Annotated[tuple[_Name, ...], Field(max_length=500), AfterValidator(_folded)]
_Count = Annotated[int, Field(ge=0, le=1_000_000)]
_Share = Annotated[float, Field(ge=LEAST_THRESHOLD, le=1)]
_Span = Annotated[int, _spoken(values.span_s)]
_Rate = Annotated[Rate, _spoken(values.rate)]
_TRUSTS = {
    trust.name.lower().replace("_", "-"): trust
    for trust in Trust
    if trust is not Trust.QUESTIONED
}


def _trust(written: str) -> Trust:
    if written not in _TRUSTS:
        raise ValueError(f"write one of {', '.join(sorted(_TRUSTS))}")
    return _TRUSTS[written]


_Trust = Annotated[Trust, _spoken(_trust)]
_Confidence = Annotated[float, _spoken(values.confidence)]


def _known_kinds(
    given: Mapping[str, Mapping[str, int | tuple[str, ...]]],
) -> Mapping[str, Mapping[str, int | tuple[str, ...]]]:
    for kind, chosen in given.items():
        known = KINDS[kind].settings if kind in KINDS else {}
        for name, value in chosen.items():
            if name not in known:
                raise ValueError(f"{kind} has no setting {name}")
            if type(value) is not type(known[name]):
                raise ValueError(f"{name} of {kind} has the wrong type")
    return given


class _Part(BaseModel):
    model_config = ConfigDict(
        strict=True,
        frozen=True,
        extra="forbid",
        allow_inf_nan=False,
        alias_generator=_camel,
        arbitrary_types_allowed=True,
    )


class Defaults(_Part):
    """What a watcher gets unless they say otherwise."""

    surface: tuple[Surface, ...] = (Surface.REPORT, Surface.GADGET)
    checks: tuple[Check, ...] = (Check.CITATIONS, Check.BETTER_SOURCES, Check.DRIFT)
    interval: _Span = 0
    max: _Rate = Rate(25)
    min_confidence: _Confidence | None = None


class Limits(_Part):
    """How much anyone can ask for, and the most that is written."""

    pages: _Count = Field(
        default=500, description="most pages that one watcher can list"
    )
    categories: _Count = Field(
        default=20, description="most categories that one watcher can list"
    )
    least_interval: _Span = Field(
        default=0, description="shortest time between two checks"
    )
    max: _Rate = Field(default=Rate(50), description="most notes for one watcher")
    drafts: _Count = Field(
        default=5, description="most drafts that one watcher can ask for"
    )
    notes_per_page: _Count = Field(
        default=3, description="most new notes per day on an article's talk page"
    )
    notes_per_wiki: _Count = Field(
        default=500, description="most new notes per day on the wiki"
    )
    talk_posts: _Count = Field(
        default=20, description="most posts per day on talk pages"
    )


_Kinds = tuple[NoteKind, ...]
_KindsOf = Annotated[Mapping[_Name, _Kinds], Field(max_length=2_000)]


class Refuse(_Part):
    """What is shown to nobody, by kind: citations, updates, drafts or writing."""

    everywhere: _Kinds = Field(default=(), description="kinds that the wiki refuses")
    pages: _KindsOf = Field(default={}, description="kinds refused on some pages")
    people: _KindsOf = Field(
        default={}, description="kinds that are not shown or sent to some people"
    )
    templates: _KindsOf = Field(
        default={}, description="kinds refused on all pages with a template"
    )


class Community(_Part):
    """One wiki's configuration, with defaults for all that its page leaves out."""

    policy: Policy = Field(
        default=Policy.POINTER,
        description="what may be shown: pointer, facts or wording",
    )
    namespaces: tuple[int, ...] = Field(
        default=(0,), description="namespaces whose pages are checked"
    )
    ignore_sections: _Names = Field(
        default=(), description="sections that are not checked, by heading"
    )
    in_category: _Names = Field(default=(), description="only pages in one of these")
    not_in_category: _Names = Field(default=(), description="no pages in any of these")
    has_template: _Names = Field(default=(), description="only pages with one of these")
    minimum_edit_count: _Count = Field(
        default=0, description="number of edits that a person needs to opt in"
    )
    checks: tuple[Check, ...] = Field(
        default=(Check.CITATIONS, Check.BETTER_SOURCES, Check.DRIFT),
        description="what may be asked for",
    )
    surfaces: tuple[Surface, ...] = Field(
        default=tuple(Surface), description="where notes may be shown"
    )
    drafts: bool = Field(
        default=False,
        description=(
            "whether people can have drafts made from sources, in their user space"
        ),
    )
    users_may_ask_for_talk: bool = Field(
        default=False,
        description=(
            "whether a person can ask for notes on the talk page of an article that"
            " has not opted in"
        ),
    )
    accuracy: bool = Field(
        default=False,
        description="whether the bot keeps a page, `User:BOT/Accuracy`, that says how"
        " often its notes are right, what is paused and what it costs",
    )
    thresholds: Mapping[CheckKind, _Share] = Field(
        default={},
        description="lowest probability at which a claim is shown to people",
    )
    tags: Mapping[TagKind, _Name] = Field(
        default={}, description="the wiki's template for each kind of maintenance tag"
    )
    sources: Annotated[Mapping[_Name, _Trust], Field(max_length=2_000)] = Field(
        default={},
        description="how the wiki regards sites, such as `example.org/blog`: reliable,"
        " mixed, unreliable, deprecated, blacklisted, mirror, self-published or"
        " predatory; it takes precedence over all other lists",
    )
    findings: Annotated[
        Mapping[str, Mapping[str, int | tuple[_Name, ...]]],
        AfterValidator(_known_kinds),
    ] = Field(
        default={},
        description=(
            "rules for a kind of finding, such as the years after which a statement is"
            " outdated"
        ),
    )
    defaults: Defaults = Defaults()
    limits: Limits = Limits()
    refuse: Refuse = Refuse()


@dataclass(frozen=True, slots=True)
class CommunityRead:
    """A community's page as understood; `None` if anything in it is wrong."""

    community: Community | None
    faults: tuple[Fault, ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the effective configuration, for people."""

    name: str  # as in the JSON page, with dots between the parts
    value: str
    meaning: str
    is_default: bool


def read_community(page: str) -> CommunityRead:
    """Read the JSON page of a wiki; an empty object asks for nothing special."""
    try:
        _check_json(page)
        return CommunityRead(Community.model_validate_json(page), ())
    except ValidationError as error:
        return CommunityRead(None, tuple(_fault(each) for each in error.errors()))
    except (ValueError, RecursionError) as error:
        remedy = "repair the page; an empty configuration is {}"
        return CommunityRead(None, (_wrong("", "", str(error)[:300], remedy),))


def effective_entries(community: Community) -> tuple[Entry, ...]:
    """Return all values in force, for the status page."""
    entries: list[Entry] = []
    for part, name in ((community, ""), *_parts(community)):
        fresh = type(part)()
        for field, about in type(part).model_fields.items():
            value = getattr(part, field)
            if not isinstance(value, _Part):
                is_default = value == getattr(fresh, field)
                label = f"{name}{_camel(field)}"
                meaning = about.description or ""
                entries.append(Entry(label, _shown(field, value), meaning, is_default))
    return tuple(entries)


def _parts(community: Community) -> tuple[tuple[_Part, str], ...]:
    return (
        (community.defaults, "defaults."),
        (community.limits, "limits."),
        (community.refuse, "refuse."),
    )


def _check_json(page: str) -> None:
    """Refuse what the validation would accept, or could not survive."""
    if len(page) > _MAX_CHARS:
        raise ValueError(f"the page is longer than {_MAX_CHARS:,} characters")
    try:
        json.loads(page, object_pairs_hook=_once_each)
    except json.JSONDecodeError as error:
        raise ValueError(
            f"this is not JSON: {error.msg} in line {error.lineno}, column {error.colno}"
        ) from error


def _once_each(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found: dict[str, object] = {}
    for name, value in pairs:
        if name in found:
            raise ValueError(f"{name[:_SHOWN]!r} is twice in one object")
        found[name] = value
    return found


def _fault(error: Any) -> Fault:
    path = [str(each) for each in error["loc"]]
    given = json.dumps(error["input"], default=str, ensure_ascii=False)[:_SHOWN]
    name = ".".join(path)[:_SHOWN]
    if error["type"] == "extra_forbidden":
        like = values.meant(path[-1], _known_names())
        remedy = f"did you mean {like}?" if like else "remove it"
        return _wrong(name, given, "there is no such setting", remedy)
    message = error["msg"].removeprefix("Value error, ")
    return _wrong(name, given, "this value does not fit", message[:300])


def _wrong(name: str, given: str, problem: str, remedy: str) -> Fault:
    """Return a fault in English: operators read it on the status page."""
    return Fault(name, given, Message("", problem), Message("", remedy))


def _known_names() -> tuple[str, ...]:
    models = (Community, Defaults, Limits, Refuse)
    return tuple(_camel(field) for each in models for field in each.model_fields)


def _shown(field: str, value: object) -> str:
    if field in {"interval", "least_interval"} and isinstance(value, int):
        return str(spoken_interval(value))
    if isinstance(value, Mapping):
        lines = (
            f"{_shown('', key)}: {_shown('', each)}" for key, each in value.items()
        )
        return ", ".join(lines) or "none"
    if isinstance(value, tuple):
        return ", ".join(_shown("", each) for each in value) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value.value) if isinstance(value, Enum) else str(value)


_WRAPPED = re.compile(
    r"\s*<(syntaxhighlight|pre)\b[^<>]{0,100}>(?P<text>.*)</\1>\s*", re.DOTALL
)
_MOST_FAULTS = 20
_GONE = (
    "the page is missing or hidden, so its last version stays in force; to decide"
    " nothing, save {} there"
)


def to_keep(
    page: PageText | None, stored: CommunityPage | None, now: datetime
) -> CommunityPage | None:
    """Return what to store of the page; `None` if nothing about it is new.

    Args:
        page: as it is now; `None` if there is none.
        stored: what was stored before.
        now: when it was read.
    """
    if page is None:
        is_known = stored is None or not stored.text or stored.faults == (_GONE,)
        return None if is_known else CommunityPage("", 0, now, (_GONE,))
    if stored and page.revision_id < stored.revision_id:
        return None  # an older replica of the wiki's database answered
    text = _unwrapped(page)
    faults = tuple(str(each) for each in read_community(text).faults[:_MOST_FAULTS])
    fresh = CommunityPage("" if faults else text, page.revision_id, now, faults)
    return None if stored and _is_same(fresh, stored) else fresh


def in_force(stored: CommunityPage | None) -> Community:
    """Return what applies on a wiki: the defaults if its community has not decided."""
    read = read_community(stored.text).community if stored else None
    return read or Community()


def has_decided_since(stored: CommunityPage | None, at: datetime | None) -> bool:
    """Return whether a community's page was read after `at`: it may have changed."""
    return stored is not None and at is not None and stored.read_at > at


def _is_same(fresh: CommunityPage, stored: CommunityPage) -> bool:
    if fresh.faults:
        return fresh.faults == stored.faults
    return not stored.faults and fresh.revision_id == stored.revision_id


def _unwrapped(page: PageText) -> str:
    """Remove what makes JSON readable on an ordinary wiki page."""
    found = _WRAPPED.fullmatch(page.text) if page.content_model != "json" else None
    return found["text"] if found else page.text
