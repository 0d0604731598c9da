"""Words for "said" that tell more than that (MOS:SAID). Pure."""

from handlers.model import FindingKind
from handlers.review.checks.words.rules import Watch, rule

_LAW = r"court|trial|police|murder|crime|convict|guilty|confess|prosecut|lawsuit|interrogat|charged|responsib|asylum|territor|\bthrone"
_SPOKEN = 1.0  # that somebody speaks is what these words are about
_OF_A_CHARACTER = 0.35  # tales are told in the present tense
# Before these "claims that" is a noun: "rejected claims that it was unsafe".
_NOUN_AFTER = """a the any no his her its their these such those of by on about against
    from for to with despite over amid false reject rejects rejected deny denies denied
    dismissed disputed refuted made makes making repeated supported and or"""
_VERB = "".join(rf"(?<!\b{word} )" for word in _NOUN_AFTER.split())

SAID = Watch(
    FindingKind.SAID,
    ("ww_wtw_6",),
    "MOS:SAID",
    "With {words} the article hints at whether what was said is true.",
    "Write “said”, “stated” or “wrote”, unless a source speaks of the truth of it.",
    (
        rule(
            "(?:falsely|wrongly|rightly|correctly|baselessly) (?:pointed out|noted|observed|claimed|stated) that",
            0.5,
            0.35,
            _SPOKEN,
        ),
        rule("claimed that", 0.58, 0.46, _SPOKEN, excused=_LAW),
        rule(
            "(?:claims|claim) that",
            0.58,
            0.46,
            _SPOKEN,
            before=_VERB,
            excused=_LAW,
            in_fiction=_OF_A_CHARACTER,
        ),
        rule("pointed out that", 0.58, 0.5, _SPOKEN, excused=_LAW),
        rule(
            "(?:points|point) out that",
            0.58,
            0.5,
            _SPOKEN,
            excused=_LAW,
            in_fiction=_OF_A_CHARACTER,
        ),
        rule(
            "(?:admitted|confessed|conceded) (?:that|to having)",
            0.5,
            0.4,
            _SPOKEN,
            excused=_LAW,
        ),
        rule(
            "admits (?:that|to having)",
            0.5,
            0.4,
            _SPOKEN,
            excused=_LAW,
            in_fiction=_OF_A_CHARACTER,
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
