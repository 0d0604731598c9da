"""The events of the feed, as far as they are read; anything of another shape is refused.

Types are strict: a title that is a number is a fault, not a text. Fields that are
not named here are ignored. (mediawiki/recentchange 1.x, mediawiki/page/change 1.x.)
Pure.
"""

from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
)

_MAX_NUMBER = 2**63 - 1
_MAX_TITLE = 600  # namespace and 255 bytes, with room for wikis that allow more
_MAX_COMMENT = 1_000  # MediaWiki keeps 500
_MAX_NAME = 300
_MAX_TIME_CHARS = 40


def _title(text: str) -> str:
    # A wiki has no titles with U+FFFD or control characters: these bytes came broken.
    if "\ufffd" in text or any(char < " " or char == "\x7f" for char in text):
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
    """What every event has."""

    id: Name | None = None
    dt: Time
    domain: Name | None = None
    topic: Name | None = None
    partition: Number = 0
    offset: Number | None = None
    schema_uri: Name | None = None  # of events before 2020


class Envelope(_Shape):
    """What is read first, to know the rest."""

    schema_: Name | None = Field(None, alias="$schema")
    meta: Meta


class OldAndNew(_Shape):
    """Numbers before and after."""

    old: Number | None = None
    new: Number | None = None


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
    length: OldAndNew | None = None
    revision: OldAndNew | None = None
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
    """A revision as it is, or as it was."""

    rev_id: Number | None = None
    rev_parent_id: Number | None = None
    rev_size: Number | None = None
    is_minor_edit: bool = False
    comment: Comment | None = None


class PriorState(_Shape):
    """What was different before the change."""

    page: ChangedPage | None = None
    revision: ChangedRevision | None = None


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
