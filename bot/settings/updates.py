"""Settings of update discovery: how far back, how often, and what a run may take."""

from pydantic import BaseModel, Field


class UpdateSettings(BaseModel):
    """When newer facts are looked for, of which days, and how long."""

    updates_days: int = Field(
        30,
        ge=1,
        le=3650,
        description="How many days back newer facts are looked for, where nobody names a day.",
    )
    updates_every_days: float = Field(
        7.0,
        gt=0,
        le=3650,
        description="How many days pass between two searches for newer facts about a page whose watchers asked for `updates`.",
    )
    updates_steps: int = Field(
        60,
        ge=1,
        le=1000,
        description="How many questions are asked and pages opened for one article at most, when newer facts are looked for.",
    )
    updates_time_s: int = Field(
        600,
        ge=1,
        le=86_400,
        description="How long looking for newer facts of one article may take; what was found by then stays.",
    )
