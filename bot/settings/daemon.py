"""Settings of the daemon: what it listens to, how often it looks, how much at once."""

from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import BaseModel, Field, field_validator
from pydantic_settings import NoDecode

_LEAST_WEIGHT, _MOST_WEIGHT = 0.01, 100.0
_Names = Annotated[tuple[str, ...], NoDecode]


class DaemonSettings(BaseModel):
    """What `sidenote daemon` and its parts need beside the settings of a check."""

    wikis: _Names = Field(
        (),
        description="Further wikis that the daemon watches beside `wiki`, separated by commas.",
    )
    stream: str = Field(
        "https://stream.wikimedia.org/v2/stream/",
        description="Address of the change feed, up to the names of its streams.",
    )
    streams: _Names = Field(
        ("recentchange",),
        description="Streams to listen to, separated by commas: `recentchange`, `mediawiki.page_change.v1`.",
    )
    stream_silence_s: float = Field(
        60.0,
        ge=5,
        le=3600,
        description="How long the feed may say nothing before the connection is made anew.",
    )
    settle_s: float = Field(
        30.0,
        ge=0,
        le=86_400,
        description="How long a page is left alone after a change, since people save several times in a row.",
    )
    workers: int = Field(
        2, ge=1, le=64, description="How many pages one process looks at at a time."
    )
    wiki_weights: _Names = Field(
        (),
        description="How much of the work wikis get where pages of several wait, as `host=weight` with commas between them; those not named have weight 1. Within a wiki, everybody who watches pages gets the same.",
    )

    @field_validator("wikis", "streams", "wiki_weights", mode="before")
    @classmethod
    def _lists_are_split(cls, value: Any) -> Any:
        if isinstance(value, str):
            return tuple(name for name in value.replace(",", " ").split() if name)
        return value

    @field_validator("wiki_weights")
    @classmethod
    def _weights_are_numbers(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for one in value:
            _weight(one)
        return value

    @property
    def weights(self) -> dict[str, float]:
        """`wiki_weights` by the host names of wikis."""
        return dict(map(_weight, self.wiki_weights))

    @field_validator("streams")
    @classmethod
    def _something_is_listened_to(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if not value or not all(
            name.replace(".", "").replace("_", "").replace("-", "").isalnum()
            for name in value
        ):
            raise ValueError("name streams such as recentchange")
        return value

    @field_validator("stream")
    @classmethod
    def _stream_is_an_address(cls, value: str) -> str:
        parts = urlsplit(value)
        is_web = parts.scheme in {"http", "https"} and parts.hostname
        if not is_web or "@" in parts.netloc:
            raise ValueError("give an address such as https://stream.wikimedia.org/…")
        return value

    @property
    def trivial_settle_s(self) -> float:
        """`settle_s` after a change that is minor or made by a bot."""
        return 10 * self.settle_s

    @property
    def report_pause_s(self) -> float:
        """Least time between two rewritings of one report page."""
        return 2 * self.settle_s

    @property
    def links_settle_s(self) -> float:
        """How long a wiki's own lists may lag behind an edit."""
        return max(2.0, self.settle_s / 2)

    @property
    def opt_in_sweep_s(self) -> float:
        """How often all opt-in pages are looked up, beside what the feed tells."""
        return max(120.0, 30 * self.settle_s)


def _weight(written: str) -> tuple[str, float]:
    wiki, _, number = written.partition("=")
    try:
        weight = float(number)
    except ValueError:
        weight = 0.0
    if not wiki or not _LEAST_WEIGHT <= weight <= _MOST_WEIGHT:
        raise ValueError(
            f"{written!r} is not a wiki with a weight from {_LEAST_WEIGHT} to"
            f" {_MOST_WEIGHT}, such as en.wikipedia.org=2"
        )
    return wiki, weight
