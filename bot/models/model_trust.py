"""Reads how far the word of a language model counts, as counted on judged claims.

The counts ship beside the models, with the data that they were made on.
"""

from importlib.resources import files

from pydantic import BaseModel, ConfigDict, Field

from handlers.citations.doubt import Trust
from handlers.model import Verdict


class Counted(BaseModel):
    """On which data answers were counted, of which model, and how many."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    file: str
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    model: str
    answers: int = Field(ge=0)


class TrustFile(BaseModel):
    """The file: `answers[true][said]` counts answers with a quote that was found."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    format: int = Field(1, ge=1, le=1)
    provenance: tuple[Counted, ...]
    verifier_weight: float = Field(ge=0, le=1)
    answers: dict[Verdict, dict[Verdict, int]]


def shipped_trust() -> Trust:
    """Read the counts among the package's data."""
    file = files("bot.models").joinpath("files", "model_trust.json")
    read = TrustFile.model_validate_json(file.read_text("utf-8"))
    return Trust(read.answers, read.verifier_weight)
