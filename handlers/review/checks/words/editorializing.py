"""Asides of the writer (MOS:EDITORIAL). Pure."""

from handlers.model import FindingKind
from handlers.review.checks.words.rules import Watch, rule

EDITORIALIZING = Watch(
    FindingKind.EDITORIALIZING,
    ("ww_wtw_5", "n_5"),
    "MOS:EDITORIAL",
    "{words} is the writer's own comment.",
    "Leave it out; the fact stands better without it.",
    (
        rule(
            """it (?:should|must|may|can) (?:also )?be (?:noted|pointed out|remembered|mentioned|emphasi[sz]ed|stressed)
            |it is (?:also )?(?:important|interesting|worth|worthwhile|noteworthy|notable|useful|instructive) (?:to )?(?:note|noting|mention|mentioning|remember|remembering|realize|point out|that)
            |needless to say|interestingly|interestingly enough|curiously|amusingly|sadly|tragically|luckily|happily enough|amazingly
            |surprisingly|unsurprisingly|not surprisingly|ironically|regrettably|thankfully|hopefully|admittedly|oddly enough|strangely enough|without a doubt|undoubtedly|unquestionably|undeniably|of course
            |obviously(?! (?:true|false|valid|invalid|equal|equivalent|wrong|correct)\\b)|rest assured|simply put|rightfully|aptly|untimely death""".replace(
                "\n            ", ""
            ),
            0.75,
            0.7,
            0.3,
            excused=r"\bin due course",
        ),
        rule("unfortunately|fortunately|arguably", 0.72, 0.65, 0.3),
        rule(
            "famously|remarkably|notably|essentially|actually|indeed|clearly|in fact|absolutely|utterly|only|truly",
            0.4,
            0.3,
            0.1,
        ),
        rule("clearly|certainly", 0.6, 0.52, 0.2, before=r"^", after=r"(?=,)"),
        rule(
            "we can see|one can see|as we have seen",
            0.65,
            0.6,
            0.3,
        ),
    ),
    of_several="{words} are the writer's own comments.",
)
