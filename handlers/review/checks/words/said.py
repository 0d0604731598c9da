"""Words for "said" that tell more than that (MOS:SAID). Pure."""

from handlers.model import FindingKind
from handlers.review.checks.words.rules import Watch, rule

_LAW = r"court|trial|police|murder|crime|convict|guilty|confess|prosecut|lawsuit|interrogat|charged|responsib|asylum|territor|\bthrone"
_SPOKEN = 1.0  # that somebody speaks is what these words are about

SAID = Watch(
    FindingKind.SAID,
    ("ww_wtw_6",),
    "MOS:SAID",
    "{words} hints at whether what was said is true.",
    "Write “said”, “stated” or “wrote”, unless a source speaks of the truth of it.",
    (
        rule(
            "(?:falsely|wrongly|rightly|correctly|baselessly) (?:pointed out|noted|observed|claimed|stated) that",
            0.5,
            0.35,
            _SPOKEN,
        ),
        rule("(?:claimed|claims|claim) that", 0.58, 0.46, _SPOKEN, excused=_LAW),
        rule("(?:pointed|points|point) out that", 0.58, 0.5, _SPOKEN, excused=_LAW),
        rule(
            "(?:admitted|admits|confessed|conceded) (?:that|to having)",
            0.5,
            0.4,
            _SPOKEN,
            excused=_LAW,
        ),
        rule(
            "(?:revealed|exposed|insisted|noted|observed|clarified) that",
            0.35,
            0.3,
            _SPOKEN,
            excused=_LAW,
        ),
    ),
    in_story=False,
)
