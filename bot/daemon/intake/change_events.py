"""The events of a feed of changes, as EventStreams describes them, and how they are read.

The data of one event become a change or a dead letter: whatever they hold, reading them
never raises. Types are strict: a title that is a number is an error, not text. Fields
that are not named here are ignored (mediawiki/recentchange 1.x,
mediawiki/page/change 1.x). Pure.
"""

import re
from collections.abc import Collection
from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
)
from pydantic_core import from_json

from bot.records.changes import (
    Change,
    ChangeKind,
    DeadLetter,
    DeadReason,
    UserKind,
)
from bot.wiki.changes import change_kind, user_kind

# --- The shapes of events ---

_MAX_NUMBER = 2**63 - 1
_MAX_TITLE = 600  # namespace and 255 bytes, with room for wikis that allow more
_MAX_COMMENT = 1_000  # MediaWiki keeps 500
_MAX_NAME = 300
_MAX_TIME_CHARS = 40


# No wiki has titles with U+FFFD or control characters: these bytes arrived damaged.
_BROKEN = re.compile("[\0-\x1f\x7f\ufffd]")


def _title(text: str) -> str:
    if _BROKEN.search(text):
        raise ValueError("not a title")
    return text.replace("_", " ")


def _time(value: object) -> object:
    if not isinstance(value, str) or len(value) > _MAX_TIME_CHARS:
        raise ValueError("not a time")
    try:
        time = datetime.fromisoformat(value)
        return time.astimezone(UTC) if time.tzinfo else time
    except OverflowError:
        raise ValueError("not a time of ours") from None


def _clipped(text: str) -> str:
    return text[:_MAX_COMMENT].replace("\0", "\ufffd")


Number = Annotated[int, Field(ge=0, le=_MAX_NUMBER)]
Namespace = Annotated[int, Field(ge=-2, le=100_000)]
Title = Annotated[str, Field(max_length=_MAX_TITLE), AfterValidator(_title)]
Name = Annotated[str, Field(max_length=_MAX_NAME)]
Comment = Annotated[str, AfterValidator(_clipped)]
Time = Annotated[AwareDatetime, BeforeValidator(_time)]


class _Shape(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)


class Meta(_Shape):
    """The fields of every event."""

    id: Name | None = None
    dt: Time
    domain: Name | None = None
    topic: Name | None = None
    partition: Number = 0
    offset: Number | None = None


class Origin(_Shape):
    """Says which feed and schema an event belongs to."""

    domain: Name | None = None
    schema_uri: Name | None = None  # of events before 2020


class Envelope(_Shape):
    """The fields read first, to know how to read the rest."""

    schema_: Name | None = Field(None, alias="$schema")
    meta: Origin


class NewRevision(_Shape):
    """The numbers of the revision that a change made, and of the one before."""

    new: Number | None = None
    old: Number | None = None


class RecentChange(_Shape):
    """A line of a wiki's recent changes."""

    meta: Meta
    type: Name
    title: Title = ""
    namespace: Namespace | None = None
    timestamp: Annotated[int, Field(ge=0, le=10**11)] | None = None  # seconds
    comment: Comment = ""
    user: Name | None = None
    bot: bool = False
    minor: bool = False
    revision: NewRevision | None = None
    server_name: Name | None = None
    log_type: Name | None = None
    log_action: Name | None = None
    log_params: Any = None

    @property
    def target(self) -> str | None:
        """The title that a page was moved to."""
        found = (
            self.log_params.get("target") if isinstance(self.log_params, dict) else None
        )
        return found.replace("_", " ")[:_MAX_TITLE] if isinstance(found, str) else None


class Performer(_Shape):
    """Who made a change."""

    user_text: Name | None = None
    user_id: Number | None = None
    is_bot: bool = False
    is_temp: bool = False


class ChangedPage(_Shape):
    """A page as it is, or as it was."""

    page_id: Number | None = None
    page_title: Title | None = None
    namespace_id: Namespace | None = None


class ChangedRevision(_Shape):
    """The revision that a change made."""

    rev_id: Number | None = None
    rev_parent_id: Number | None = None
    is_minor_edit: bool = False
    comment: Comment | None = None


class PriorState(_Shape):
    """What was different before the change."""

    page: ChangedPage | None = None


class PageChange(_Shape):
    """A change to a page."""

    meta: Meta
    page_change_kind: Name
    dt: Time
    page: ChangedPage
    revision: ChangedRevision | None = None
    performer: Performer | None = None
    prior_state: PriorState | None = None
    comment: Comment | None = None


# --- From an event to a change ---

_CANARY = "canary"
# The second form is that of events before 2020; their fields are the same.
_RECENT_CHANGE = re.compile(r"/mediawiki/recentchange/1\.|mediawiki/recentchange/[12]$")
_PAGE_CHANGE = re.compile(r"/mediawiki/page/change/1\.")
_USER = re.compile(rb'("user(?:_text)?"\s*:\s*")(?:[^"\\]|\\.)*')
_STORED_BYTES = 2_000
_DETAIL_CHARS = 300
_PAGE_KINDS = {
    "edit": ChangeKind.EDIT,
    "create": ChangeKind.NEW,
    "move": ChangeKind.MOVE,
    "delete": ChangeKind.DELETE,
    "undelete": ChangeKind.RESTORE,
    "visibility_change": ChangeKind.VISIBILITY,
}


class _ShapeError(ValueError):
    """A field that every change needs is missing."""


class Decoder:
    """Reads events.

    Args:
        our_names: the accounts that the program writes with.
    """

    def __init__(self, our_names: Collection[str] = ()) -> None:
        self._our_names = frozenset(our_names)

    def decode(self, data: str) -> Change | DeadLetter | None:
        """Return the change in `data`; `None` if it concerns no page of any wiki.

        That is so for canary events, with which a feed shows that it is alive.
        """
        try:
            fields = from_json(data, allow_inf_nan=False, cache_strings="keys")
        except ValueError as error:
            return dead_letter(DeadReason.BAD_JSON, str(error), data.encode())
        try:
            return self._read(fields, data)
        except ValidationError as error:
            return dead_letter(DeadReason.BAD_SHAPE, _fault(error), data.encode())
        except _ShapeError as error:
            return dead_letter(DeadReason.BAD_SHAPE, str(error), data.encode())

    def _read(self, fields: object, data: str) -> Change | DeadLetter | None:
        envelope = Envelope.model_validate(fields)
        if envelope.meta.domain == _CANARY:
            return None
        schema = envelope.schema_ or envelope.meta.schema_uri or "none"
        if _RECENT_CHANGE.match(schema):
            return self._recent_change(RecentChange.model_validate(fields))
        if _PAGE_CHANGE.match(schema):
            return self._page_change(PageChange.model_validate(fields))
        return dead_letter(DeadReason.UNKNOWN_SCHEMA, schema, data.encode())

    def _recent_change(self, event: RecentChange) -> Change | None:
        kind = change_kind(event.type, event.log_type, event.log_action)
        if not event.title and event.type == "log":
            return None  # a log can hide which page it is about
        revision = event.revision
        if kind in (ChangeKind.EDIT, ChangeKind.NEW) and not (
            revision and revision.new
        ):
            raise _ShapeError("revision.new: is missing")
        if event.namespace is None:
            raise _ShapeError("namespace: is missing")
        return Change(
            kind=kind,
            wiki=_present(event.meta.domain or event.server_name, "meta.domain"),
            title=_present(event.title, "title"),
            namespace=event.namespace,
            changed_at=_moment(event),
            user=self._user(event.user, is_bot=event.bot),
            event_id=_event_id(event.meta),
            revision_id=revision.new if revision else None,
            parent_id=(revision.old or None) if revision else None,
            moved_to=event.target if kind is ChangeKind.MOVE else None,
            is_minor=event.minor,
            comment=event.comment,
        )

    def _page_change(self, event: PageChange) -> Change:
        kind = _PAGE_KINDS.get(event.page_change_kind, ChangeKind.OTHER)
        page, revision = event.page, event.revision
        before = (
            (event.prior_state or PriorState()).page
            if kind is ChangeKind.MOVE
            else None
        )
        title = _present(page.page_title, "page.page_title")
        old_title = before.page_title if before else None
        namespace = before.namespace_id if before else None
        namespace = page.namespace_id if namespace is None else namespace
        if namespace is None:
            raise _ShapeError("page.namespace_id: is missing")
        comment = event.comment or (revision.comment if revision else None)
        return Change(
            kind=kind,
            wiki=_present(event.meta.domain, "meta.domain"),
            title=old_title or title,
            namespace=namespace,
            changed_at=event.dt,
            user=self._performer(event.performer),
            event_id=_event_id(event.meta),
            page_id=page.page_id,
            revision_id=revision.rev_id if revision else None,
            parent_id=(revision.rev_parent_id or None) if revision else None,
            moved_to=title if kind is ChangeKind.MOVE else None,
            is_minor=revision.is_minor_edit if revision else False,
            comment=comment or "",
        )

    def _performer(self, performer: Performer | None) -> UserKind:
        if performer is None:
            return UserKind.HIDDEN
        kind = self._user(performer.user_text, is_bot=performer.is_bot)
        if kind is UserKind.REGISTERED and performer.is_temp:
            return UserKind.TEMPORARY
        return kind

    def _user(self, name: str | None, *, is_bot: bool) -> UserKind:
        return user_kind(name, is_bot=is_bot, our_names=self._our_names)


def dead_letter(reason: DeadReason, detail: str, raw: bytes) -> DeadLetter:
    """Return an unreadable event without the user names in it."""
    stored = _USER.sub(rb"\1", raw[: 2 * _STORED_BYTES])[:_STORED_BYTES]
    return DeadLetter(
        reason, " ".join(detail.split())[:_DETAIL_CHARS], stored, len(raw)
    )


def _fault(error: ValidationError) -> str:
    first = error.errors(include_input=False, include_url=False)[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"


def _present(value: str | None, name: str) -> str:
    if not value:
        raise _ShapeError(f"{name}: is missing")
    return value


def _moment(event: RecentChange) -> datetime:
    if event.timestamp is None:
        return event.meta.dt
    return datetime.fromtimestamp(event.timestamp, UTC)


def _event_id(meta: Meta) -> str:
    if meta.id:
        return meta.id
    if meta.topic is None or meta.offset is None:
        raise _ShapeError("meta.id: is missing")
    return f"{meta.topic}/{meta.partition}/{meta.offset}"
