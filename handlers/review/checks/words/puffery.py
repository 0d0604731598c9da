"""Praise in the article's own voice (MOS:PUFFERY). Pure."""

from handlers.model import FindingKind
from handlers.review.checks.words.rules import DETERMINER, Watch, rule

# A noun must follow: "a legendary singer", never "is celebrated on 1 May".
_NOUN = r"(?= [a-z\ue000])"
_NOT_VERB = (
    r"(?! (?:as|for|by|on|in|at|with|to|the|its|his|her|their|and is|and was)\b)"
)

PUFFERY = Watch(
    FindingKind.PUFFERY,
    ("ww_wtw_1", "n_5"),
    "MOS:PUFFERY",
    "{words} praises the subject in the article's own voice.",
    "Say what shows it, a prize, a figure or a named critic's words, or leave it out.",
    (
        rule(
            """legendary|iconic|visionary|world-class|world-renowned|world-famous
            |breathtaking|awe-inspiring|stunning|stunningly|magnificent|majestic|superb
            |spectacular|spectacularly|exquisite|gorgeous|mesmerizing|mesmerising
            |must-see|state-of-the-art|unparalleled|unrivaled|unrivalled|unsurpassed
            |trailblazing|groundbreaking|ground-breaking|cutting-edge|masterful
            |masterfully|awesome|phenomenal|extraordinarily|incredible|incredibly
            |amazing|fantastic|wonderful|renowned|illustrious|esteemed
            |highly acclaimed|widely acclaimed|highly respected|well-respected
            |highly regarded|universally acclaimed|award-winning|prestigious
            |immensely popular|hugely popular|wildly popular|extremely popular
            |picturesque|virtuosic|outstanding""".replace("\n            ", ""),
            0.75,
            0.62,
            0.25,
            after=r"(?! (?:shares?|debt|loans?|balance|warrants?|issues?|claims?|amounts?|stock|payments?|began|begins|ceremon\w+|took|takes|occurred)\b)",
            excused=r"\biconic (?:representation|depiction|image|sign|gesture|memory)|\bphenomenal (?:manifestation|world|experience|consciousness|concept|character|realm|appearance|object|propert|self)|\bfantastic (?:being|creature|animal|beast|literature|genre|element|tale|story)|\bprestigious\b.{0,30}\buniversit|\blegendary (?:king|founder|ancestor|figure|creature|hero|ruler|emperor|origin|account|material|genealog|folk|hero|history|weapon|sword|animal|being|bird|progenitor)",
        ),
        rule(
            "celebrated|acclaimed|distinguished|remarkable|extraordinary|brilliant|brilliantly|virtuoso|pioneering|innovative",
            0.62,
            0.55,
            0.2,
            before=DETERMINER,
            after=_NOUN + _NOT_VERB,
            excused=r"\bextraordinary (?:session|general|meeting|rendition|ambassador|congress|powers|circumstances|measures|assembly|commission|edition|item|element|claims?|synod|form)|\bextraordinary\b.{0,60}\b(?:held|convened|convoked|summoned)\b|distinguished (?:service|flying|gentlem|professor)|brilliant (?:cut|blue|green|white|yellow|red|colou?r|light|star)",
        ),
        rule(
            "beloved|much-loved",
            0.7,
            0.62,
            0.25,
            after=_NOUN + r"(?! (?:and|by|of|in|to|for|who|is|was|are|were)\b)",
        ),
        rule(
            "famous",
            0.62,
            0.55,
            0.2,
            # "Her most famous temple, the Parthenon" says which one, not how good it is.
            before=DETERMINER
            + r"(?<!\bher most )(?<!\bhis most )(?<!\bits most )(?<!\btheir most )(?<!'s most )",
            after=_NOUN
            + r"(?! (?:for|as|in|and|by|because|with|since|of|people|persons|alumni)\b)",
        ),
        rule(
            "leading|foremost",
            0.55,
            0.45,
            0.2,
            before=DETERMINER,
            after=r"(?= (?:expert|authority|authorities|provider|manufacturer|scholar|company|companies|brand|university|institution|designer|artist|maker|supplier|player)\b)",
        ),
        rule(
            """one of the (?:greatest|finest|most (?:important|influential|famous|celebrated|beautiful|renowned|brilliant|respected|prestigious|popular|successful|iconic|significant|recogni[sz]able))""",
            0.72,
            0.5,
            0.2,
        ),
        rule(
            "greatest ever|of all time|second to none|best ever",
            0.6,
            0.45,
            0.15,
            after=r"(?! (?:common|number|amount|extent|distance|part|share|height|depth|lower|upper|value|possible|happiness|good|proportion|percentage|concentration|threat|risk|degree|change|loss|losses|single|diversity|density|width|length|impact|effect|lengths|increase)\b)",
            excused=r"best-?selling|highest[- ]grossing|poll|list|rank|vote|survey|magazine|chart|record",
        ),
        rule(
            "masterpiece|tour de force|luminary|luminaries|rich (?:cultural )?heritage|rich history|legend in (?:his|her) own|a genius|crown jewel|hidden gem",
            0.65,
            0.5,
            0.2,
        ),
        rule(
            "boasts|boast|boasting",
            0.72,
            0.68,
            0.4,
            after=r"(?! (?:that|about|of|to)\b)",
        ),
        rule(
            "nestled|bustling|vibrant|world's best|charming|enchanting|idyllic",
            0.65,
            0.55,
            0.2,
            excused=r"vibrant colou?r",
        ),
        rule(
            "unique|notable|prominent|popular|respected|well-known|best-known|important|landmark|great|best|hit",
            0.3,
            0.2,
            0.1,
            after=_NOUN,
        ),
    ),
    of_several="{words} praise the subject in the article's own voice.",
    in_story=False,  # a hero of a tale may be legendary
)
