"""What the embedded aggregator rules with, and its bars in one place. Pure."""

from dataclasses import dataclass

from handlers.ports import TextEncoder, Verifier


@dataclass(frozen=True, slots=True)
class Policy:
    """When a fact counts as said, as refuting, as the same.

    Probabilities are the verification model's, cosines the encoder's.
    """

    said: float = 0.5  # by the article, that it bears the candidate out
    said_to_last: float = 0.9  # the same, of what is told as lasting, but not there
    said_in_part: float = 0.8  # the same, all or in part, where nothing named is new
    same: float = 0.6  # that two updates say the same
    outdated: float = 0.5  # that statement and candidate cannot both hold
    outdated_if_sensitive: float = 0.7
    shown: float = 0.75  # the same, where figures, an office or a plan show it
    fulfilled: float = 0.6  # share of a plan's words in what tells of its outcome
    very_alike: float = 0.6  # cosine from which the model alone is believed, where
    mostly_shared: float = 0.6  # so much of the candidate stands in the statement
    new_if_sensitive: float = 0.6  # that the article lacks it
    alike: float = 0.45  # cosine from which two texts may speak of one thing
    near: int = 8  # statements of the article that a candidate is held against
    looked_at: int = 60  # the same, for what shows a change; besides all values
    rivals: int = 3  # of these, how many are looked at for a refutation
    fewest_stems: int = 2  # content words of a fact besides the subject's name


@dataclass(frozen=True, slots=True)
class Bench:
    """The models that judge, and the bars."""

    verifier: Verifier
    encoder: TextEncoder
    policy: Policy
