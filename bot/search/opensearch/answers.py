"""What a search in OpenSearch answers, as far as we read it."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class Source(BaseModel):
    """A passage as it is kept there."""

    model_config = ConfigDict(extra="ignore")

    document: str
    key: str
    kind: str
    address: str
    mark: str = ""
    told: str = ""
    sha256: str = ""
    title: str | None = None
    text: str = ""


class Hit(BaseModel):
    """A passage in an answer; `sort` is where the next page of a listing begins."""

    model_config = ConfigDict(extra="ignore")

    score: float | None = Field(None, alias="_score")
    source: Source = Field(alias="_source")
    sort: list[Any] = []


class _Hits(BaseModel):
    hits: list[Hit]


class Answer(BaseModel):
    """The answer to a search; where it timed out, hits may be missing."""

    hits: _Hits
    timed_out: bool = False
