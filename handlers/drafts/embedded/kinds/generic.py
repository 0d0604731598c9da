"""The sections of an article whose kind nothing tells. Pure."""

from collections.abc import Sequence

from handlers.drafts.embedded.kinds.rows import BACKGROUND, HISTORY, REACTIONS, Row

GENERIC: Sequence[Row] = (
    BACKGROUND,
    HISTORY,
    (
        "Characteristics",
        "what it is, how it works, its parts",
        r"is a|are (?:a|the)|consists|include\w*|types?|structure|used (?:to|for)|known as|defined|function\w*|form\w*|process|cells?|system",
    ),
    (
        "Activities",
        "programmes, projects, services and events",
        r"program\w*|project\w*|service\w*|training|conference\w*|workshop\w*|launch\w*|publish\w*|provid\w*|support\w*|organi[sz]\w*|school\w*|education\w*|students?",
    ),
    (
        "Impact",
        "effects, significance, criticism",
        r"impact\w*|effect\w*|significan\w*|critici\w*|influence\w*|result\w*|disease\w*|risk\w*|rights|discriminat\w*|communit\w*",
    ),
    REACTIONS,
)
