"""Places and times named from where the writer sits (MOS:WTW). Pure."""

from handlers.model import FindingKind
from handlers.review.checks.words.rules import Watch, rule

UNSPECIFIED = Watch(
    FindingKind.UNSPECIFIED,
    ("ww_wtw_10",),
    "MOS:WTW",
    "{words} does not say which place or event is meant.",
    "Name the place, or say when and how often.",
    (
        rule(
            "our (?:country|nation|city|town|state|village|community|society|homeland|people)|in this country|of this country|this great (?:country|nation|city)",
            0.72,
            0.6,
            0.4,
        ),
        rule("somehow|somewhere", 0.45, 0.4, 0.2),
        rule("sometimes|often|occasionally|there|here", 0.1),
    ),
    of_several="{words} do not say which place or event is meant.",
    in_story=False,
)
