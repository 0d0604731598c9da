"""Settings of who judges, and what is put before people: flags and better sources."""

import json
import re
from collections.abc import Mapping
from enum import Enum
from typing import Annotated, Any, ClassVar

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
    # How many days before or after the access date an archived copy may be captured
    # and still show what the page said when it was cited.
    drift_days: ClassVar[int] = 180
    # By how much the probability of support by another source, or by an earlier copy,
    # must exceed the present citation's before it is recommended.
    better_margin: ClassVar[float] = 0.2
    better_claims_per_page: int = Field(
        20,
        ge=0,
        le=5000,
        description="For how many claims of a page `sidenote run` asks the searches of `searches`, and OpenSearch, for a better source, the most urgent first; the others wait for the next look at the page. 0: it asks none.",
    )
    # How many of the pages that a search found are read for one claim.
    candidates_per_claim: ClassVar[int] = 5
    # How many of the pages that a search found are read for all claims of a page.
    candidates_per_page: ClassVar[int] = 60
    operating_points: Annotated[
        Mapping[str, Mapping[CheckKind, _Threshold]], NoDecode
    ] = Field(
        {},
        description='From which probability a claim is flagged, for each wiki (`*`: all) and kind of check, where other thresholds are wanted than those measured: in the settings file `[operating_points."de.wikipedia.org"]` with lines such as `"not fully supported" = 0.9` (`not supported`, `contradicted`, `outdated`, `new fact`; 0.5 to 1), in the environment the same as JSON.',
    )

    # How often readers of the panel have to find suggestions right, for them to be
    # shown.
    steering_bar: ClassVar[float] = 0.5
    # How many suggestions of a kind readers have to have decided about before that
    # changes what is shown.
    steering_least: ClassVar[int] = 20
    # For how many days a decision of a reader counts.
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
        """How many days a result holds that a source which could not be read might change."""
        return min(self.recheck_days, max(1.0, self.recheck_days / 10))
