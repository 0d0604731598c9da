"""The rules about words, as data: what is at fault, what excuses it, and what to say.

Few words are wrong everywhere, so a rule gives the context in which a reviewer objects.
A rule stays only where it tells a Good Article from a generated one, or is right on
articles that were read: words that both have alike (“claimed that”, “famously”) are not
here, nor what is right only now and then (“unique”, “notable”).
"""

import re
from dataclasses import dataclass

from handlers.model import IssueKind

FORECAST = "forecast"  # the group of a pattern that holds a year which may be over


@dataclass(frozen=True, slots=True)
class Rule:
    """Words that a reviewer objects to in the article's own voice.

    `excused` is searched for in the whole sentence, with its quotations and links.
    Where `cited` or `said` is set, a footnote or a named speaker excuses, too.
    """

    pattern: re.Pattern[str]
    sure: float
    cited: bool
    said: bool
    excused: re.Pattern[str] | None


@dataclass(frozen=True, slots=True)
class Watch:
    """One line of a review: a guideline, what it advises against, and its rules."""

    kind: IssueKind
    criteria: tuple[str, ...]
    guideline: str
    message: str
    advice: str
    rules: tuple[Rule, ...]
    in_story: bool = False  # whether it also applies to a plot: a hero may be legendary


def rule(
    words: str,
    sure: float,
    *,
    cited: bool = False,
    said: bool = True,
    before: str = "",
    after: str = "",
    excused: str | None = None,
) -> Rule:
    """Return a rule for `words`: alternatives of a regular expression, spaces folded.

    `before` and `after` are what must, or must not, stand beside them.
    """
    listed = "|".join(" ".join(one.split()) for one in words.split("|"))
    return Rule(
        re.compile(rf"(?:{before})(?<![\w-])(?P<words>{listed})(?![\w-])(?:{after})"),
        sure,
        cited,
        said,
        re.compile(excused, re.IGNORECASE) if excused else None,
    )


# A noun must follow: "a legendary singer", never "is celebrated on 1 May".
_A = r"\b(?:a|an|the|his|her|its|their|this|these|as|most|many|several|of|by|'s|world) "
_NOUN = r"(?= [a-z\ue000])"
_NOT_VERB = (
    r"(?! (?:as|for|by|on|in|at|with|to|the|its|his|her|their|and is|and was)\b)"
)
_THINK = "say|believe|think|claim|argue|consider|state|feel|regard|maintain|suggest|contend|assert|agree|assume|insist|speculate|see|view|point out"
_WHO = "people|scholars|critics|historians|experts|fans|observers|researchers|scientists|commentators|authors|writers|analysts|academics|sources|reviewers|economists|philosophers|authorities|theologians|others"
_DATED = r"\bwhat (?:is|are) (?:now|nowadays|currently|today|presently)\b|\b(?:1[5-9]|20)\d\d\b|\bas of\b|\b(?:\w*[Pp]leistocene|Holocene|Neolithic|Pal(?:a?e)?olithic|glacial|fossils?|evolv\w+|prehistoric|extinct|million years)\b"  # if "now" is a geological age, "today" is precise enough
_NOW = r"(?=.{0,200}\b(?:is|are|has|have|does|do|can|remains?|continues?|being)\b)"
_MATHS = r"theorem|equation|proof|lemma|matrix|vector|variable|function|axiom|algorithm|integer|\bset\b|\bfield\b|formula|sum\b|coefficient|polynomial|element|graph|\bdefine"
_EXAMPLE = r"\bmean|\bexample|\be\.g\.|\bsentence\b|\bphrase\b|\bslogan\b|\bmotto\b|\bsign\b|\blyric|\bsong\b"
_EXPECTED = "expected|scheduled|planned|due|set|slated|likely|projected|anticipated|predicted|planning|intended|going|supposed"
_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
WATCHES = (
    Watch(
        IssueKind.PUFFERY,
        ("ww_wtw_1", "n_5"),
        "MOS:PUFFERY",
        "Peacock term: praise in the article's own voice.",
        "Say what shows it (an award, a figure, a named critic's words), or remove it.",
        (
            rule(
                """legendary|iconic|visionary|world-class|world-renowned|world-famous
            |breathtaking|awe-inspiring|stunning|stunningly|magnificent|majestic|superb
            |spectacular|spectacularly|exquisite|gorgeous|mesmeri[sz]ing|must-see
            |unparalleled|unrivall?ed|unsurpassed|trailblazing|ground-?breaking|cutting-edge
            |masterful|masterfully|awesome|phenomenal|extraordinarily|incredible|incredibly
            |amazing|fantastic|wonderful|renowned|illustrious|esteemed
            |(?:highly|widely|universally) (?:acclaimed|respected|regarded)|well-respected
            |award-winning|prestigious|(?:immensely|hugely|wildly|extremely) popular
            |picturesque|virtuosic|outstanding|state-of-the-art""",
                0.7,
                after=r"(?! (?:shares?|debt|loans?|balance|warrants?|issues?|claims?|amounts?|stock|payments?|began|begins|ceremon\w+|took|takes|occurred)\b)",
                excused=r"\biconic (?:representation|depiction|image|sign|gesture|memory)|\bphenomenal (?:manifestation|world|experience|consciousness|concept|character|realm|appearance|object|propert|self)|\bfantastic (?:being|creature|animal|beast|literature|genre|element|tale|story)|\bprestigious\b.{0,30}\buniversit|\blegendary (?:king|founder|ancestor|figure|creature|hero|ruler|emperor|origin|account|material|genealog|folk|history|weapon|sword|animal|being|bird|progenitor)|\b(?:the|of) Illustrious\b",
            ),
            rule(
                "celebrated|acclaimed|remarkable|extraordinary|brilliant|brilliantly|virtuoso|pioneering|famous",
                0.62,
                cited=True,
                # "Her most famous temple, the Parthenon" says which one, not how good it is.
                before=_A
                + r"(?<!\b(?:her|his|its) most )(?<!\btheir most )(?<!'s most )",
                after=_NOUN + _NOT_VERB + r"(?! (?:people|persons|alumni)\b)",
                excused=r"\bextraordinary (?:session|general|meeting|rendition|ambassador|congress|powers|circumstances|measures|assembly|commission|edition|item|element|claims?|synod|form)|\bextraordinary\b.{0,60}\b(?:held|convened|convoked|summoned)\b|brilliant (?:cut|blue|green|white|yellow|red|colou?r|light|star)",
            ),
            rule(
                """one of the (?:greatest|finest|most (?:important|influential|famous|celebrated|beautiful|renowned|brilliant|respected|prestigious|popular|successful|iconic|significant|recogni[sz]able))
            |masterpiece|tour de force|luminary|luminaries|rich (?:cultural )?(?:heritage|history)|legend in (?:his|her) own|a genius|crown jewel|hidden gem
            |nestled|bustling|vibrant|world's best|charming|enchanting|idyllic
            |a (?:lasting )?testament to|rich tapestry|indelible mark""",
                0.65,
                cited=True,
                excused=r"vibrant colou?r",
            ),
            rule("boasts?|boasting", 0.68, after=r"(?! (?:that|about|of|to)\b)"),
        ),
    ),
    Watch(
        IssueKind.LABEL,
        ("ww_wtw_2", "n_5"),
        "MOS:LABEL",
        "Contentious label: a judgement without the name of who makes it.",
        "Say in the text who uses it, or say what was done and let readers judge.",
        (
            rule("infamous|notorious", 0.7, before=_A),
            rule("infamously|notoriously", 0.7),
            rule(
                "controversial",
                0.6,
                cited=True,
                before=_A,
                after=r"(?= [a-z])",
                excused=r"\bcontroversial\b.{1,80}\b(?:because|due to|owing to|since)\b",
            ),
        ),
    ),
    Watch(
        IssueKind.WEASEL,
        ("ww_wtw_3", "n_2"),
        "MOS:WEASEL",
        "Weasel words: nobody is named who holds this view.",
        "Name who says so and cite it, or state what is agreed as fact, with a source.",
        (
            rule(
                f"(?:some|many|most|several|certain|numerous|various|countless) (?:[a-z]+ )?(?:{_WHO})(?: [a-z]+ly)? (?:have )?(?:{_THINK}|said|believed|argued|claimed|suggested|considered|speculated)|some (?:{_THINK})",
                0.75,
                cited=True,
                said=False,
                excused=r"according to|\bpolls?\b|survey|such as|for example|including|percent|%",
            ),
            rule(
                "(?:is|are|was|were|been) (?:widely|often|generally|commonly|sometimes|usually|frequently|universally) (?:regarded|considered|thought|believed|viewed|seen|acknowledged|recogni[sz]ed|credited|hailed|described|held|acclaimed) (?:as|to)",
                0.68,
                cited=True,
                said=False,
                excused=r"\bby (?!some|many|most)[A-Z]|according to",
            ),
            rule(
                "(?:research|science|studies|evidence|experience|history) (?:has|have) (?:shown|proven|proved|demonstrated|found)|studies (?:show|suggest|indicate)|experts (?:say|agree|believe|declare|claim)|critics (?:say|claim|argue|contend)|it has been (?:said|argued|suggested|claimed|speculated|noted|estimated|alleged|proposed) (?:that|by some)|(?:is|are) said to have|(?:is|was) rumou?red to",
                0.68,
                cited=True,
                said=False,
                excused=r"according to|legend|myth|tradition|folklore|\bSt\.? |\bSaint|\btheory\b.{0,20}\bis said|\bin mathematics",
            ),
        ),
    ),
    Watch(
        IssueKind.DOUBT,
        ("ww_wtw_4",),
        "MOS:ALLEGED",
        "Expression of doubt: nobody is named who doubts it.",
        "Say who claims it and who disputes it, with a source, or leave the doubt out.",
        (
            rule(
                "supposedly|purportedly|allegedly|ostensibly",
                0.68,
                cited=True,
                before=r"(?<!\bfor )",  # "criticised for allegedly": the critics say so
                excused=r"court|trial|convict|charge|arrest|prosecut|lawsuit|sued|indict|police|accus|legend|myth|folklore",
            ),
        ),
    ),
    Watch(
        IssueKind.EDITORIALIZING,
        ("ww_wtw_5", "n_5"),
        "MOS:EDITORIAL",
        "Editorializing: the writer's own comment.",
        "Remove it; the fact is stronger without it.",
        (
            rule(
                """it (?:should|must|may|can) (?:also )?be (?:noted|noticed|pointed out|remembered|mentioned|emphasi[sz]ed|stressed)
            |it is (?:also )?(?:important|interesting|worth|worthwhile|noteworthy|notable|useful|instructive) (?:to )?(?:note|noting|mention|mentioning|remember|remembering|realize|point out|that)
            |needless to say|interestingly|interestingly enough|curiously|amusingly|sadly|tragically|luckily|happily enough|amazingly
            |surprisingly|unsurprisingly|not surprisingly|ironically|regrettably|thankfully|hopefully|admittedly|oddly enough|strangely enough|without a doubt|undoubtedly|unquestionably|undeniably|of course
            |obviously(?! (?:true|false|valid|invalid|equal|equivalent|wrong|correct)\\b)|rest assured|simply put|rightfully|aptly|untimely death|unfortunately|fortunately|arguably""",
                0.72,
            ),
        ),
        in_story=True,
    ),
    Watch(
        IssueKind.ESSAY,
        ("ww_cc_1", "n_5"),
        "WP:NOTESSAY",
        "Written like a personal reflection or an essay.",
        "State what reliable sources say, without leading the reader through an argument.",
        (
            rule(
                """in conclusion,|to conclude,|to sum up,|in my (?:opinion|view)|i (?:believe|think) that|we (?:can|may|must|should|could|now) (?:see|say|conclude|assume|ask|consider|understand)
            |as (?:we have |has been |have been )?(?:seen|noted|mentioned|discussed|explained|stated) (?:above|earlier|before|below|previously)
            |this (?:essay|paper|chapter) (?:will|aims|seeks|attempts|explores|examines|discusses|argues|describes|presents|shows)
            |one (?:must|should|can|could|might|may) (?:[a-z]+ly )?(?:argue|conclude|ask|wonder|remember|consider|note|imagine|think|suppose|wish)
            |there (?:is|can be) no (?:doubt|denying|question) (?:that|about)|it is (?:clear|obvious|evident|undeniable|no (?:surprise|wonder|coincidence|accident)|safe to say|fair to say|hard to (?:deny|overstate|imagine)) (?:that|how)
            |more than just an?|only time will tell|in today's world|in this day and age|since the dawn of (?:time|man|civili[sz]ation)""",
                0.68,
                excused=_MATHS,
            ),
            Rule(  # a question, or an exclamation, that nobody asks
                re.compile(r"(?<=[a-z' ,-]{20})(?P<words>[?!]{1,5})$"),
                0.62,
                cited=False,
                said=False,
                excused=re.compile(
                    r"\bask|\bquestion|\bwonder|\bsays?\b|\bsaid\b|:", re.IGNORECASE
                ),
            ),
        ),
    ),
    Watch(
        IssueKind.EUPHEMISM,
        ("ww_wtw_7",),
        "MOS:EUPHEMISM",
        "Euphemism.",
        "Use the plain word, such as “died”.",
        (
            rule(
                """passed away|passing away|passes away|(?:gave|gives|giving|laid down) (?:his|her|their) (?:life|lives)|eternal rest|final resting place|(?:lost|losing|loses) (?:his|her|their|a|the) (?:long )?(?:battle|fight) (?:with|to|against)|breathed (?:his|her) last|met (?:his|her|their) maker|differently[ -]abled|mentally challenged|physically challenged|made love|making love|went to be with|entered into rest|went home to|departed this life|collateral damage|enhanced interrogation|(?:his|her|their) (?:untimely |early |sudden )?passing""",
                0.82,
                said=False,
                after=r"(?! (?:of the|yards|game|ability|style|out))",
            ),
            rule(
                "(?:lost|losing) (?:his|her|their) (?:life|lives)|succumbed to (?:his|her|their|an?|the|cancer|illness)",
                0.6,
                cited=True,
            ),
        ),
    ),
    Watch(
        IssueKind.CLICHE,
        ("ww_wtw_8", "ww_cc_1"),
        "MOS:IDIOM",
        "Cliché or idiom: a figure of speech that readers may misunderstand.",
        "Say plainly what happened.",
        (
            rule(
                """lion's share|tip of the iceberg|white elephant|gild(?:ed|ing)? the lily|(?:took|take|takes|taking|taken) the plunge|ace up (?:his|her|their) sleeve|burst(?:ing)? (?:on to|onto|upon) the (?:[a-z]+ )?scene|meteoric rise|(?:stood|stand|stands) the test of time|(?:left|leave|leaving) no stone unturned|the rest is history|humble beginnings|against all odds|(?:took|taken|taking|take) the [a-z]+ by storm|(?:turned|turn|turning) a blind eye|stone's throw|once[- ]in[- ]a[- ]lifetime|larger[- ]than[- ]life|(?:blazed|blazing) (?:a|the) trail|(?:broke|broken) the mou?ld|(?:raised|raises|raise) the bar|crowning (?:achievement|glory)|jewel in the crown|dream come true|force to be reckoned with|last but not least|(?:throw(?:ing)?|threw) in the towel|back to the drawing board|spread like wildfire|labou?r of love|nail in (?:the|its|his|her|their) coffin|icing on the cake|hit the ground running|flying colou?rs|all walks of life|rags[- ]to[- ]riches|who's who of|at the end of the day|in a nutshell|par excellence|leaps and bounds|bone of contention|double-edged sword|drop in the ocean|the powers that be|writing (?:is|was) on the wall|pulled out all the stops|rose from the ashes|the straw that broke|(?:worked|work) like a charm|tight-knit|sprang into action|well-oiled machine|in the nick of time|swept off (?:his|her) feet|time immemorial""",
                0.78,
            ),
            rule(
                """(?:became|become|becoming) (?:a|an?) (?:[a-z]+ )?household names?|(?:paved|paves|paving|pave) the way|(?:fell|fallen) on hard times|(?:made|making|make) a name for (?:himself|herself|itself|themselves)|(?:in|into|out of) the limelight|game[- ]changer|stepping stone|turned (?:his|her|their) back on|double whammy|came under fire|Achilles' heel|whirlwind (?:romance|tour)|breath of fresh air|(?:bore|bear) fruit|uphill battle|level playing field|at the drop of a hat|the last straw|sow(?:ed|ing)? the seeds""",
                0.62,
            ),
        ),
    ),
    Watch(
        IssueKind.RELATIVE_TIME,
        ("ww_wtw_9",),
        "MOS:RELTIME",
        "Relative time: this will go out of date without anyone noticing.",
        "Give the date or the year, and use {{as of}} for what may change.",
        (
            rule(
                "currently|presently|nowadays|at present|as of now|at the present time|at the moment",
                0.72,
                after=r"(?! (?:of|when|that|in|at)\b)",
                excused=_DATED,
            ),
            rule(
                "(?:has|have) (?:recently|lately)|in recent (?:years|times|decades)|(?:in|over) the (?:last|past) few (?:years|decades)|(?:more|most) recently",
                0.65,
                excused=_DATED,
            ),
            rule(
                "today",
                0.65,
                before=r"^",
                after=r"(?=,| )" + _NOW,
                excused=_DATED + r"|\b(?:said|says|wrote)\b",
            ),
            rule(
                "(?:a few|several|some|many|two|three|four|five|ten|twenty|\\d{1,2}) years ago|(?:last|this|next) year|(?:last|next) month",
                0.6,
                before=r"(?<!the )(?<!his )(?<!her )(?<!its )(?<!their )(?<!that )(?<!every )",
                after=r"(?! (?:of|at|in|with)\b)",
                excused=_DATED
                + r"|\b(?:million|billion|thousand|BP)\b|years ago .{0,20}(?:BC|CE)|every|each year",
            ),
        ),
    ),
    Watch(
        IssueKind.PAST_FORECAST,
        ("ww_wtw_9",),
        "WP:ASOF",
        "Out of date: a forecast whose year is over.",
        "Say what happened, with a source, or give the forecast its own date.",
        (
            Rule(
                re.compile(
                    rf"(?<![\w-])(?P<words>will|(?:may|might)(?! have| include)|(?:is|are) (?:currently |now |still |also |to be )?(?:{_EXPECTED}) (?:to|for|in|by)|(?:plans|intends|hopes|aims|expects) to)\b[^.;:()]{{0,120}}?\b(?:in|by|for|until|on|during|late|early|mid|before|of|end|spring|summer|fall|autumn|winter|{_MONTHS})[ -]+(?:the |late |early |mid-?|year |end of |spring |summer |fall |autumn |winter |of |\d{{1,2}} |(?:{_MONTHS})\b,? ?|\d{{1,2}}, ){{0,4}}(?P<{FORECAST}>20\d\d)\b"
                ),
                0.75,
                cited=False,
                said=False,
                excused=None,
            ),
        ),
    ),
    Watch(
        IssueKind.TONE,
        ("ww_cc_1", "n_5"),
        "WP:TONE",
        "Tone: a contraction, or words that address somebody.",
        "Write it impersonally and in full.",
        (
            rule(
                "you|your|yours|yourself|you're|you'll|you've",
                0.7,
                excused=r"\bthank you\b|" + _EXAMPLE,
            ),
            rule(
                "we|our|ours|ourselves|us|we're|we've|we'll",
                0.64,
                after=r"(?![.,])",
                excused=f"{_MATHS}|{_EXAMPLE}|[\\[…\\]]",
            ),
            rule(
                "(?:do|does|did|is|are|was|were|has|have|had|would|could|should|wo|ca)n['’]t|(?:it|he|she|there|that|what)['’]s (?:a|the|an|not|been|also|very)|they['’](?:re|ve|ll)",
                0.65,
                excused=_EXAMPLE,
            ),
            rule(
                "prides itself|pride themselves|strives to|look no further|something for everyone|is home to some of the|committed to (?:providing|excellence)|passionate about|state of the art",
                0.65,
            ),
        ),
    ),
)
