"""What an evidence text can say about a detail of a claim. Pure."""

from enum import Enum


class Agreement(Enum):
    """What an evidence text says about a detail of the claim."""

    STATED = "stated"
    ABSENT = "absent"
    DIFFERENT = "different"
