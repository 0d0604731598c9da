"""Idioms and worn figures of speech (MOS:IDIOM). Pure."""

from handlers.model import FindingKind
from handlers.review.checks.words.rules import Watch, rule

CLICHES = Watch(
    FindingKind.CLICHE,
    ("ww_wtw_8", "ww_cc_1"),
    "MOS:IDIOM",
    "{words} is a figure of speech that readers may take wrongly, or have read too often.",
    "Say literally what happened.",
    (
        rule(
            """lion's share|tip of the iceberg|white elephant|gild(?:ed|ing)? the lily|(?:took|take|takes|taking|taken) the plunge|ace up (?:his|her|their) sleeve|burst(?:ing)? (?:on to|onto|upon) the (?:[a-z]+ )?scene|meteoric rise|(?:stood|stand|stands) the test of time|(?:left|leave|leaving) no stone unturned|the rest is history|humble beginnings|against all odds|(?:took|taken|taking|take) the [a-z]+ by storm|(?:turned|turn|turning) a blind eye|stone's throw|once[- ]in[- ]a[- ]lifetime|larger[- ]than[- ]life|(?:blazed|blazing) (?:a|the) trail|(?:broke|broken) the mou?ld|(?:raised|raises|raise) the bar|crowning (?:achievement|glory)|jewel in the crown|dream come true|force to be reckoned with|last but not least|throw(?:ing)? in the towel|threw in the towel|back to the drawing board|spread like wildfire|labou?r of love|nail in (?:the|its|his|her|their) coffin|icing on the cake|hit the ground running|flying colou?rs|all walks of life|rags[- ]to[- ]riches|who's who of|at the end of the day|in a nutshell|par excellence|leaps and bounds|bone of contention|double-edged sword|drop in the ocean|the powers that be|writing (?:is|was) on the wall|pulled out all the stops|rose from the ashes|the straw that broke|(?:worked|work) like a charm|tight-knit|sprang into action|well-oiled machine|in the nick of time|swept off (?:his|her) feet|time immemorial""",
            0.8,
            0.75,
            0.4,
            excused=r"\bidiom\b|\bproverb\b|\bphrase\b|Catholic Who's Who",
        ),
        rule(
            """(?:became|become|becoming) (?:a|an?) (?:[a-z]+ )?household names?|(?:paved|paves|paving|pave) the way|(?:fell|fallen) on hard times|(?:made|making|make) a name for (?:himself|herself|itself|themselves)|(?:in|into|out of) the limelight|game[- ]changer|stepping stone|turned (?:his|her|their) back on|double whammy|came under fire|Achilles' heel|whirlwind (?:romance|tour)|breath of fresh air|(?:bore|bear) fruit|uphill battle|level playing field|at the drop of a hat|the last straw|sow(?:ed|ing)? the seeds""",
            0.62,
            0.58,
            0.3,
        ),
    ),
    of_several="{words} are figures of speech that readers may take wrongly, or have read too often.",
    in_story=False,
)
