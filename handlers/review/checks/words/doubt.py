"""Words that cast doubt without saying whose doubt it is (MOS:DOUBT, MOS:ALLEGED). Pure."""

from handlers.model import FindingKind
from handlers.review.checks.words.rules import DETERMINER, Watch, rule

DOUBT = Watch(
    FindingKind.DOUBT,
    ("ww_wtw_4",),
    "MOS:ALLEGED",
    "{words} casts doubt without saying whose doubt it is.",
    "Say who claims it and who disputes it, with a source, or leave the doubt out.",
    (
        rule(
            "supposedly|purportedly|allegedly|ostensibly",
            0.68,
            0.5,
            0.35,
            before=r"(?<!\bfor )",  # "criticised for allegedly": the critics say so
            excused=r"court|trial|convict|charge|arrest|prosecut|lawsuit|sued|indict|police|accus|legend|myth|folklore",
        ),
        rule(
            "supposed|purported",
            0.65,
            0.52,
            0.35,
            before=DETERMINER,
            after=r"(?= [a-z])(?! (?:to|that|by)\b)",
        ),
        rule(
            "alleged",
            0.5,
            0.35,
            0.3,
            before=DETERMINER,
            after=r"(?= [a-z])(?! (?:to|that|by)\b)",
            excused=r"court|trial|convict|charge|arrest|prosecut|lawsuit|sued|indict|police|accus|investigat",
        ),
        rule("so-called|so called", 0.55, 0.48, 0.3, after=r"(?= [a-z])"),
    ),
    of_several="{words} cast doubt without saying whose doubt it is.",
    in_story=False,
)
