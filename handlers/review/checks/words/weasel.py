"""Views that nobody is named for (MOS:WEASEL). Pure."""

from handlers.model import FindingKind
from handlers.review.checks.words.rules import Watch, rule

_THINK = "say|believe|think|claim|argue|consider|state|feel|regard|maintain|suggest|contend|assert|agree|assume|insist|speculate|see|view|point out"
_WHO = "people|scholars|critics|historians|experts|fans|observers|researchers|scientists|commentators|authors|writers|analysts|academics|sources|reviewers|economists|philosophers|authorities|theologians|others"
_SPOKEN = 1.0  # that somebody speaks is what these words are about

WEASEL = Watch(
    FindingKind.WEASEL,
    ("ww_wtw_3", "n_2"),
    "MOS:WEASEL",
    "{words} names nobody who holds this view.",
    "Name who says so and cite it, or state what is agreed as plain fact with its source.",
    (
        rule(
            f"(?:some|many|most|several|certain|numerous|various|countless) (?:[a-z]+ )?(?:{_WHO})(?: [a-z]+ly)? (?:have )?(?:{_THINK}|said|believed|argued|claimed|suggested|considered|speculated)|some (?:{_THINK})",
            0.75,
            0.4,
            _SPOKEN,
            excused=r"according to|\bpolls?\b|survey|such as|for example|including|percent|%",
        ),
        rule(
            "(?:it is|it's|it was) (?:(?:widely|often|generally|commonly|sometimes|usually|frequently|popularly|now|also) )?(?:believed|thought|said|claimed|rumou?red|considered|argued|speculated|alleged|regarded|felt|accepted|assumed|suggested|reported)(?: that| to| by some| by many)",
            0.7,
            0.4,
            _SPOKEN,
            excused=r"\bby (?!some|many|most)[A-Z]|according to",
        ),
        rule(
            "(?:is|are|was|were|been) (?:widely|often|generally|commonly|sometimes|usually|frequently|universally) (?:regarded|considered|thought|believed|viewed|seen|acknowledged|recogni[sz]ed|credited|hailed|described|held|acclaimed) (?:as|to)",
            0.68,
            0.35,
            _SPOKEN,
            excused=r"\bby (?!some|many|most)[A-Z]|according to",
        ),
        rule(
            "(?:is|are|was|were|been) (?:regarded|considered|viewed|hailed|acclaimed) (?:by (?:many|some|most|several)(?: [a-z]+)?|as one of|to be one of|one of the)",
            0.7,
            0.42,
            _SPOKEN,
        ),
        rule(
            "(?:research|science|studies|evidence|experience|history) (?:has|have) (?:shown|proven|proved|demonstrated|found)|studies (?:show|suggest|indicate)|experts (?:say|agree|believe|declare|claim)|critics (?:say|claim|argue|contend)|it has been (?:said|argued|suggested|claimed|speculated|noted|estimated|alleged|proposed) (?:that|by some)|(?:is|are) said to have|is rumou?red to|was rumou?red to",
            0.68,
            0.35,
            _SPOKEN,
            excused=r"according to|legend|myth|tradition|folklore|\btheory\b.{0,20}\bis said|\bin mathematics",
        ),
    ),
    of_several="{words} name nobody who holds these views.",
    in_story=False,
)
