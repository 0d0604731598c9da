"""Words whose meaning moves with the day on which they are read (MOS:RELTIME). Pure."""

from handlers.model import FindingKind
from handlers.review.checks.words.rules import Watch, rule

_DEEP_TIME = r"\b(?:\w*[Pp]leistocene|Holocene|Neolithic|Pal(?:a?e)?olithic|glacial|fossils?|evolv\w+|prehistoric|extinct|million years)\b"
_DATED = (
    r"\bwhat (?:is|are) (?:now|nowadays|currently|today|presently)\b"
    r"|\b(?:1[5-9]|20)\d\d\b|\bas of\b|"
    + _DEEP_TIME  # where an age is now, "today" is precise enough
)
_NOW = r"(?=.{0,200}\b(?:is|are|has|have|does|do|can|remains?|continues?|being)\b)"

RELATIVE_TIME = Watch(
    FindingKind.RELATIVE_TIME,
    ("ww_wtw_9",),
    "MOS:RELTIME",
    "{words} will be out of date without anybody noticing.",
    "Give the date or the year, with {{as of}} for what may change.",
    (
        rule(
            "currently|presently|nowadays|at present|as of now|at the present time|at the moment",
            0.72,
            0.68,
            0.5,
            after=r"(?! (?:of|when|that|in|at)\b)",
            excused=_DATED,
        ),
        rule(
            "has recently|have recently|has lately|have lately|in recent years|in recent times|in the last few years|in the past few years|over the last few years|over the past few years|over the past few decades|in recent decades|more recently|most recently",
            0.68,
            0.62,
            0.45,
            excused=_DATED,
        ),
        rule(
            "recently|lately", 0.45, 0.4, 0.3, excused=_DATED + r"|\b(?:had|was|were) "
        ),
        rule(
            "today",
            0.68,
            0.6,
            0.4,
            before=r"^",
            after=r"(?=,| )" + _NOW,
            excused=_DATED + r"|\b(?:said|says|wrote)\b",
        ),
        rule(
            "today",
            0.52,
            0.48,
            0.3,
            before=r"(?:\b(?:is|are|has|have|remains?|still|even|until|to|use|used|exists?|lives?|live) |, )(?:[a-z]+ ){0,3}",
            after=r"(?!'s| is| was)",
            excused=_DATED + r"|\bwas\b|\bwere\b|what is today|present-day",
        ),
        rule(
            "to date",
            0.55,
            0.5,
            0.35,
            before=r"(?<!up )(?<!used )(?<!difficult )(?<!hard )(?<!began )(?<!order )(?<!way )",
            after=r"(?=[,.;)]| (?:is|are|has|have|the|no|only|more|over|and)\b)|$",
            excused=_DATED + r"|carbon|rock|fossil|chronolog|archaeolog|dating",
        ),
        rule(
            "(?:a few|several|some|many|two|three|four|five|ten|twenty|\\d{1,2}) years ago|last year|this year|next year|last month|next month",
            0.6,
            0.58,
            0.4,
            before=r"(?<!the )(?<!his )(?<!her )(?<!its )(?<!their )(?<!that )(?<!every )",
            after=r"(?! (?:of|at|in|with)\b)",
            excused=_DATED
            + r"|\b(?:million|billion|thousand|BP)\b|years ago .{0,20}(?:BC|CE)|every|each year",
        ),
        rule("soon|formerly|traditionally|now", 0.25, 0.2, 0.1),
    ),
    in_story=False,
)
