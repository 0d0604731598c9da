"""Labels that carry a judgement (MOS:LABEL). Pure."""

from handlers.model import FindingKind
from handlers.review.checks.words.rules import DETERMINER, Watch, rule

LABELS = Watch(
    FindingKind.LABEL,
    ("ww_wtw_2", "n_5"),
    "MOS:LABEL",
    "{words} is a label that carries a judgement.",
    "Say in the text who uses it, or tell what was done and let readers judge.",
    (
        rule("infamous|notorious", 0.72, 0.65, 0.3, before=DETERMINER),
        rule("infamously|notoriously", 0.72, 0.65, 0.3),
        rule(
            "controversial",
            0.6,
            0.5,
            0.25,
            before=DETERMINER,
            after=r"(?= [a-z])",
            excused=r"\bcontroversial\b.{1,80}\b(?:because|due to|owing to|since)\b",
        ),
        rule(
            "racist|sexist|misogynist|misogynistic|homophobic|transphobic|bigoted|xenophobic|anti-semitic|antisemitic|fascist|neo-Nazi",
            0.55,
            0.42,
            0.2,
            before=DETERMINER,
            after=r"(?= (?:and |[a-z]+ )?(?:politician|activist|writer|man|woman|person|leader|group|organi[sz]ation|party|publication|website|blogger|commentator|remarks?|comments?|propaganda)\b)",
        ),
        rule(
            "religious cult|doomsday cult|dangerous cult|sex cult|destructive cult|a cult leader",
            0.6,
            0.48,
            0.2,
        ),
        rule(
            "terrorists?|terrorist (?:group|organi[sz]ation|network|leader)s?|freedom fighters?|religious fanatics?|fanatics?|bigots?|heretics?|extremists?",
            0.55,
            0.45,
            0.2,
            before=DETERMINER,
            after=r"(?! (?:[a-z]+ )?(?:attack|attacks|activit|threat|bombing|offen|incident|list|act|acts|plot|financing)\w*)",
            excused=r"designat|list of|convict|counter-?terror|charged|classif|defin|concept|term\b|accus",
        ),
        rule("so-called experts?|self-styled", 0.6, 0.5, 0.3),
    ),
    of_several="{words} are labels that carry a judgement.",
    in_story=False,
)
