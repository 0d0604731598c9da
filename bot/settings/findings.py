"""Settings of who judges, and what is put before people: flags and better sources."""

import json
import re
from collections.abc import Mapping
from enum import Enum
from typing import Annotated, Any

from pydantic import BaseModel, Field, field_validator
from pydantic_settings import NoDecode

from handlers.model import CheckKind

_WIKI_KEY = re.compile(r"\*|file|[a-z0-9.:-]{1,253}", re.ASCII)
# As `handlers.citations.flags.LEAST_THRESHOLD`, which takes half a second to import.
LEAST_THRESHOLD = 0.5
_Threshold = Annotated[float, Field(ge=LEAST_THRESHOLD, le=1)]


class VerifierChoice(Enum):
    """Which engine judges claims; the value is the engine's name."""

    MINILM = "minilm"
    LEXICAL = "lexical"


class FindingSettings(BaseModel):
    """Who judges claims, from when one is flagged, and what is recommended instead."""

    verifier: VerifierChoice = Field(
        VerifierChoice.MINILM,
        description="What judges claims: `minilm` (a small network, weighed with the lexical features) or `lexical` (these features alone, in a fifth of the time).",
    )
    recheck_days: float = Field(
        30.0,
        gt=0,
        le=3650,
        description="How many days the result of a claim holds that nobody has changed. Until then its sources are not read again, whatever changes around it.",
    )
    recheck_unread_days: float = Field(
        3.0,
        gt=0,
        le=3650,
        description="The same where a source could not be read that might change the result. Where a site was only out of reach for the moment, it is tried again at the next look.",
    )
    drift_days: int = Field(
        180,
        ge=0,
        le=3650,
        description="How many days before or after the access date an archived copy may be captured and still show what the page said when it was cited.",
    )
    better_margin: float = Field(
        0.2,
        ge=0,
        le=1,
        description="By how much the probability of support by another source, or by an earlier copy, must exceed the present citation's before it is recommended.",
    )
    better_claims_per_page: int = Field(
        20,
        ge=0,
        le=5000,
        description="For how many claims of a page `sidenote run` asks the searches of `searches`, and OpenSearch, for a better source, the most urgent first; the others wait for the next look at the page. 0: it asks none.",
    )
    candidates_per_claim: int = Field(
        5,
        ge=1,
        le=50,
        description="How many of the pages that a search found are read for one claim.",
    )
    candidates_per_page: int = Field(
        60,
        ge=1,
        le=5000,
        description="How many of the pages that a search found are read for all claims of a page.",
    )
    operating_points: Annotated[
        Mapping[str, Mapping[CheckKind, _Threshold]], NoDecode
    ] = Field(
        {},
        description='From which probability a claim is flagged, for each wiki (`*`: all) and kind of check, where other thresholds are wanted than those measured: in the settings file `[operating_points."de.wikipedia.org"]` with lines such as `"not fully supported" = 0.9` (`not supported`, `contradicted`, `outdated`, `new fact`; 0.5 to 1), in the environment the same as JSON.',
    )

    steering_bar: float = Field(
        0.5,
        ge=0,
        le=0.95,
        description="How often readers of the panel have to find suggestions right, for them to be shown: the least lower end of the 95 % interval of that share, for each wiki, engine and kind of check. A kind that no probability saves is held until it reaches the bar again; 0 lets all through.",
    )
    steering_least: int = Field(
        20,
        ge=5,
        le=10_000,
        description="How many suggestions of a kind readers have to have decided about before that changes what is shown.",
    )
    steering_days: float = Field(
        180.0,
        ge=1,
        le=3650,
        description="For how many days a decision of a reader counts. A kind that is held is tried again once its decisions are older.",
    )

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
