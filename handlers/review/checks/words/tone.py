"""Talk that an encyclopaedia does not talk: to the reader, in the first person. Pure."""

from handlers.model import FindingKind
from handlers.review.checks.words.rules import Watch, rule

_MATHS = r"theorem|equation|proof|lemma|matrix|vector|variable|function|axiom|algorithm|integer|\bset\b|\bfield\b|formula|sum\b|coefficient|polynomial|element|graph|\bdefine"

TONE = Watch(
    FindingKind.TONE,
    ("ww_cc_1", "n_5"),
    "WP:TONE",
    "{words} is not how an encyclopaedia speaks.",
    "Put it impersonally, in full forms and without addressing anybody.",
    (
        rule(
            "you|your|yours|yourself|you're|you'll|you've",
            0.7,
            0.68,
            0.4,
            excused=r"\bthank you\b",
        ),
        rule(
            "we|our|ours|ourselves|us|we're|we've|we'll",
            0.66,
            0.6,
            0.3,
            after=r"(?![.,])",
            excused=_MATHS,
        ),
        rule("we|our|let us|we're|we've|we'll", 0.45, 0.42, 0.3),
        rule("my|myself|I'm|I've", 0.68, 0.6, 0.3),
        rule(
            "(?:do|does|did|is|are|was|were|has|have|had|would|could|should|wo|ca)n['’]t|(?:it|he|she|there|that|what)['’]s (?:a|the|an|not|been|also|very)|they['’](?:re|ve|ll)",
            0.65,
            0.62,
            0.4,
        ),
        rule(
            "prides itself|pride themselves|strives to|look no further|something for everyone|is home to some of the|rest assured|committed to (?:providing|excellence)|passionate about|state of the art",
            0.68,
            0.62,
            0.35,
        ),
        rule("showcases|showcasing", 0.45, 0.4, 0.2),
    ),
    of_several="{words} are not how an encyclopaedia speaks.",
    in_story=False,
)
