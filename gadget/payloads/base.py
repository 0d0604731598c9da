"""How every payload behaves: closed, frozen, and in the words of JSON."""

from pydantic import BaseModel, ConfigDict


class Payload(BaseModel):
    """A JSON object with exactly these fields."""

    model_config = ConfigDict(extra="forbid", frozen=True)
