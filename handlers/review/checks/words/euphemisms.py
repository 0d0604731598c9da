"""Words that veil (MOS:EUPHEMISM), and lists of who outlived whom. Pure."""

from handlers.model import FindingKind
from handlers.review.checks.words.rules import Watch, rule

EUPHEMISMS = Watch(
    FindingKind.EUPHEMISM,
    ("ww_wtw_7",),
    "MOS:EUPHEMISM",
    "{words} veils what is meant.",
    "Use the plain word, such as “died”.",
    (
        rule(
            """passed away|passing away|passes away|(?:gave|gives|giving|laid down) (?:his|her|their) (?:life|lives)|eternal rest|final resting place|(?:lost|losing|loses) (?:his|her|their|a|the) (?:long )?(?:battle|fight) (?:with|to|against)|breathed (?:his|her) last|met (?:his|her|their) maker|differently abled|differently-abled|mentally challenged|physically challenged|made love|making love|went to be with|entered into rest|went home to|departed this life|collateral damage|enhanced interrogation|(?:his|her|their) (?:untimely |early |sudden )?passing""",
            0.82,
            0.8,
            0.5,
            after=r"(?! (?:of the|yards|game|ability|style|out))",
            excused=r"quarterback|touchdown|final resting place of (?:the )?(?:ship|ark)",
        ),
        rule(
            "(?:lost|losing) (?:his|her|their) (?:life|lives)|succumbed to (?:his|her|their|an?|the|cancer|illness)",
            0.6,
            0.55,
            0.3,
        ),
        rule(
            "fallen (?:heroes|soldiers|comrades)|(?:made|making|paid) the (?:ultimate|supreme) sacrifice",
            0.75,
            0.7,
            0.4,
        ),
    ),
    of_several="{words} veil what is meant.",
    in_story=False,
)

SURVIVED_BY = Watch(
    FindingKind.SURVIVED_BY,
    ("ww_wtw_11",),
    "MOS:WTW",
    "{words} is how obituaries speak.",
    "Name spouse and children where the article tells of the family.",
    (
        rule(
            "(?:(?:is|was|are|were|been|being) )?survived by",
            0.85,
            0.85,
            0.6,
            after=r"(?= (?:his|her|their|one|two|three|four|five|six|seven|eight|nine|a |an |several|many|only)\b| \ue000)",
            excused=r"\bspecies\b|\bgenus\b|\bcopies\b|manuscript",
        ),
    ),
    of_several="{words} are how obituaries speak.",
    in_story=False,
)
