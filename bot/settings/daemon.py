"""Settings of the daemon: its feed, and when its findings are shown."""

import json
import re
from collections.abc import Mapping
from enum import Enum
from typing import Annotated, Any, ClassVar
from urllib.parse import urlsplit

from pydantic import BaseModel, Field, field_validator
from pydantic_settings import NoDecode

from handlers.model import CheckKind

_LEAST_WEIGHT, _MOST_WEIGHT = 0.01, 100.0
_Names = Annotated[tuple[str, ...], NoDecode]


class DaemonSettings(BaseModel):
    """What `sidenote daemon` and its parts need besides the settings of a check."""

    wikis: _Names = Field(
        (),
        description="More wikis that the daemon watches besides `wiki`, separated by commas.",
    )
    stream: str = Field(
        "https://stream.wikimedia.org/v2/stream/",
        description="URL of the change feed, without the names of its streams.",
    )
    streams: _Names = Field(
        ("recentchange",),
        description="Streams to listen to, separated by commas: `recentchange`, `mediawiki.page_change.v1`.",
    )
    stream_silence_s: float = Field(
        60.0,
        ge=5,
        le=3600,
        description="How long the feed may be silent before it is reconnected.",
    )
    settle_s: float = Field(
        30.0,
        ge=0,
        le=86_400,
        description="How long to wait after an edit before a page is checked, because people often save several times in a row.",
    )
    workers: int = Field(
        2,
        ge=1,
        le=64,
        description="Number of pages that one process checks at the same time.",
    )
    wiki_weights: _Names = Field(
        (),
        description="Share of the work for each wiki when pages of several are in the queue, as `host=weight`, separated by commas; the default weight is 1. Within a wiki, all watchers have equal shares.",
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
        """Shortest time between two edits of one report page."""
        return 2 * self.settle_s

    @property
    def links_settle_s(self) -> float:
        """How long it may take until an edit appears in the wiki's own lists."""
        return max(2.0, self.settle_s / 2)

    @property
    def opt_in_sweep_s(self) -> float:
        """How often all opt-in pages are looked up, besides what the feed reports."""
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


# Settings for engines and for what people are shown: flags and better sources.

_WIKI_KEY = re.compile(r"\*|file|[a-z0-9.:-]{1,253}", re.ASCII)
# The value of `handlers.citations.flags.LEAST_THRESHOLD`, whose import takes half a
# second.
LEAST_THRESHOLD = 0.5
_Threshold = Annotated[float, Field(ge=LEAST_THRESHOLD, le=1)]


class VerifierChoice(Enum):
    """The engine that judges claims; the value is its name."""

    MINILM = "minilm"
    LEXICAL = "lexical"


class FindingSettings(BaseModel):
    """Which engine judges claims, when a claim is flagged, and what is recommended instead."""

    verifier: VerifierChoice = Field(
        VerifierChoice.MINILM,
        description="The model that checks claims: `minilm` (a small network combined with lexical features) or `lexical` (only these features, five times as fast).",
    )
    recheck_days: float = Field(
        30.0,
        gt=0,
        le=3650,
        description="Days for which the result of an unchanged claim is kept. Until then its sources are not read again.",
    )
    # How many days before or after the access date an archived copy may have been
    # captured and still count as what the page said when it was cited.
    drift_days: ClassVar[int] = 180
    # How much more probable it must be that another source, or an earlier copy,
    # supports the claim than that the present citation does, for it to be recommended.
    better_margin: ClassVar[float] = 0.2
    better_claims_per_page: int = Field(
        20,
        ge=0,
        le=5000,
        description="Number of claims of a page for which the daemon searches `searches` and OpenSearch for a better source, the most urgent first; the others wait for the next check of the page. 0: none.",
    )
    # How many search results are read for one claim.
    candidates_per_claim: ClassVar[int] = 5
    # How many search results are read for all claims of a page.
    candidates_per_page: ClassVar[int] = 60
    operating_points: Annotated[
        Mapping[str, Mapping[CheckKind, _Threshold]], NoDecode
    ] = Field(
        {},
        description='Probability from which a claim is flagged, for each wiki (`*`: all) and kind of check, instead of the measured thresholds: in the settings file `[operating_points."de.wikipedia.org"]` with lines such as `"not fully supported" = 0.9` (`not supported`, `contradicted`, `outdated`, `new fact`; 0.5 to 1), in the environment the same as JSON.',
    )

    # The share of suggestions that readers of the panel must find right for them to be
    # shown.
    steering_bar: ClassVar[float] = 0.5
    # How many suggestions of a kind readers must have decided on before that changes
    # what is shown.
    steering_least: ClassVar[int] = 20
    # For how many days a reader's decision counts.
    steering_days: ClassVar[float] = 180.0

    @field_validator("operating_points", mode="before")
    @classmethod
    def _points_are_read(cls, value: Any) -> Any:
        return json.loads(value or "{}") if isinstance(value, str) else value

    @field_validator("operating_points")
    @classmethod
    def _points_name_wikis(
        cls, value: Mapping[str, Mapping[CheckKind, float]]
    ) -> Mapping[str, Mapping[CheckKind, float]]:
        for wiki in value:
            if not _WIKI_KEY.fullmatch(wiki):
                raise ValueError(f"{wiki!r} is neither a host name nor *")
        return value

    @property
    def recheck_unread_days(self) -> float:
        """How many days a result counts that depends on a source which could not be read."""
        return min(self.recheck_days, max(1.0, self.recheck_days / 10))
