"""Tells what is judged rather than stated: worth, duty, belief, and general remarks.

An opinion needs no adjective: "Germany is among its most important allies", "the G7
should remove the cap" and "the minister stresses that" are no facts of an article
either. What weighs without a figure is left out; a figure mostly is a fact. English
only. Pure.
"""

import re
from collections.abc import Iterator

from handlers.model import Ignored

Fault = tuple[Ignored, str]

_FIGURE = re.compile(
    r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundred|thousand|million|half|third)\b",
    re.IGNORECASE,
)
# What somebody ought to do. A body that finds or rules it states a fact.
_DUTY = re.compile(
    r"\b(?:should(?:n['’]t)?|ought to|needs? to (?:be|have|do|take|make|mobili[sz]e|act|ensure|find|show|know|understand)"
    r"|would (?:need|have) to|has an? (?:responsibility|duty|obligation)|have an? (?:responsibility|duty|obligation)"
    r"|(?:it|it['’]s|this) (?:is|remains|was)? ?(?:also )?(?:important|essential|vital|crucial|imperative|necessary|critical|time) (?:to|that|for))\b",
    re.IGNORECASE,
)
_FINDS = re.compile(
    r"\b(?:ruled|found|concluded|recommend(?:ed|s|ations?)|determined|ordered|decided|requires?|required|stipulat\w+|law|whether)\b"
)
# What weighs, without a figure.
_WORTH = re.compile(
    r"\b(?:(?:most|more|very|so|increasingly|especially|particularly|extremely|critically|strategically) (?:important|significant|critical|influential|powerful|popular|famous"
    r"|successful|talented|respected|prominent|notable|beautiful|interesting|exciting|anticipated|promising|vulnerable|harmful|dangerous|challenging|complex|intense)"
    r"|(?:key|vital|crucial|pivotal|important|significant|instrumental) (?:role|part|step|factor|player|partner|ally|importance|moment)"
    r"|(?:is|are|was|were|be|been|remains?|proven|proved) (?:\w+ly )?(?:important|vital|crucial|essential|pivotal|paramount|critical|successful|invaluable|instrumental|effective|impressive|significant|unique|special|perfect|ideal|the best|a (?:key|real|great|good|bad|big|must))"
    r"|landmark (?:treaty|deal|agreement|moment)|milestone|game[- ]?changer|cornerstone of|testament to|serves as a (?:reminder|symbol|testament)|symboli[sz]es|epitomi[sz]es|embod(?:y|ies)|hallmark"
    r"|(?:great|good|strong|deep|enormous|profound|tremendous|considerable|special) (?:importance|significance|interest|pride|passion|success|potential|impact|influence|respect|love|affection|cultural|value)"
    r"|geo(?:strategic|political) (?:importance|significance)|much[- ]loved|well[- ]loved|talented|gifted|charismatic|superstar|emerged as [^,.]{1,30}hero|heroic(?:ally)?|dominance|heartthrob"
    r"|highlights? (?:the|how)|underscores?|a (?:shining|prime|perfect|great|good|clear|stark) example|wealth of|rich (?:history|culture|heritage|tradition|tapestry|biodiversity)|sense of (?:community|pride|belonging)"
    r"|enjoys?|loves?|passion for|many interests|captivat\w+|mesmeri[sz]\w+|enchant\w+|elegan(?:t|ce)|majestic|picturesque|marvell?ous|magnificent|grandeur|lavish|exquisite|innovative|groundbreaking|visionary|inspir(?:es|ing|ational)"
    r"|transformative|blatant(?:ly)?|flawless(?:ly)?|must (?:not |also |now )?(?:be|do|act|ensure|work|stop|remain|take|make|continue|have|never)|deserv\w+|overrated|underrated|blaring)\b",
    re.IGNORECASE,
)
# Praise of the months in which prizes are given.
_AWARDS_TALK = re.compile(
    r"\b(?:front-?runners?|(?:oscar|emmy|grammy|awards?)[- ](?:buzz|worthy|bait|contenders?|hopefuls?)|awards[- ]season|tour[- ]de[- ]force"
    r"|career[- ](?:best|defining)|stand-?out|snubbed|scene[- ]stealing|break-?out (?:role|star|performance)|critical darling|steals the show|shines as|at (?:his|her|their) best)\b",
    re.IGNORECASE,
)
_CONDITION = re.compile(r"^If\b(?! not\b)")
# How a writer leads from one thing to the next.
_REMARK = re.compile(
    r"^(?:Unlike|Just (?:like|as)|Not (?:only|as|just|surprisingly|all|everyone)|As (?:if|though|always|usual|such|expected|a reminder|we)|In (?:a sense|many ways|some ways|short|other words|theory|essence|truth|reality|general|my|our)"
    r"|[A-Z][a-z]+ as (?:it|that|this) (?:may|might|is|was|sounds?)|Perhaps|Maybe|Sure|Granted|Admittedly|Ultimately|Overall|All in all|At its (?:core|heart|best)|To be (?:sure|fair)|Whether|No matter|Like (?:most|many|any|all|every)"
    r"|(?:The|An?)(?: (?:primary|main|key|overall|central|ultimate))? (?:reality|truth|fact|problem|question|point|good news|bad news|thing|answer|irony|idea|challenge|lesson|key|goal|hope|aim|intention) (?:is|was|here|of)"
    r"|What (?:is|makes|made|matters|began|started)|It (?:is|was) (?:clear|worth|hard|easy|difficult|interesting|notable))\b"
    r"|\b(?:(?:is|are) another matter|a drop in the ocean|mak(?:es?|ing) a mockery|not the right question|the tip of the iceberg|comes? as no surprise|no wonder|goes without saying|at the end of the day|time will tell"
    r"|(?:is|are) seen as|can be seen|a (?:big|huge|real) (?:deal|problem|challenge|concern)|certainly a|one (?:can|could|might) (?:say|argue)|all over the world|not always)\b",
    re.IGNORECASE,
)
# What somebody thinks, told by a reporter.
_BELIEF = re.compile(
    r"\b(?:(?:points? out|pointed out|stress(?:es|ed)|emphasi[sz](?:es|ed)|underlin(?:es|ed)|underscor(?:es|ed)|opin(?:es|ed)|reflect(?:s|ed)|recalls)"
    r" (?:that|on|how|the)|(?<!is )(?<!are )(?<!was )(?<!were )(?:believe[sd]?|thinks?|feels?|hope[sd]|wishe[sd]|jokes?|mused?|gushed?|raved?)\b|looks? (?:back|forward)|opens? up about|says? (?:he|she|they|it) (?:is|was|are|has|feels?|loves?|wants?|hopes?))\b"
)
_GOSSIP = re.compile(
    r"\b(?:allegedly (?:dat(?:ed|ing)|cheat\w+|had an affair)|love life|dating rumou?rs?|sparked (?:\w+ )?rumou?rs|net worth|baby bump|ex-(?:boy|girl)friend|hooked up|spotted (?:together|out)|rumou?red to)\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"\b(?:hereby|herein(?:after|before)?|hereunder|hereof|thereunder|confirms? and undertakes?|undertakes? (?:to|that)|"
    r"the (?:Charterers?|Lessee|Lessor|Licensee|Licensor|Tenant|Borrower|Buyer|Seller)\b)"
)


_PAST = re.compile(
    r"\b(?:was|were|had|did|became|began|brought|built|came|fell|found|gave|got|held|left|lost|made|met|paid|put|rose|said|saw|sold|spent|stood|struck|took|went|withdrew|won|[a-z]{2,}ed)\b"
)
_PER_WORD, _WITHOUT_FIGURE, _OF_NO_EVENT = 0.03, 0.02, 0.04  # of a score


def fault(text: str) -> Fault | None:
    """Return why a sentence judges; `text` is without what stands in quotation marks."""
    duty = _DUTY.search(text)
    if duty and _FINDS.search(text, 0, duty.start()):
        duty = None
    found = next(
        (one for one in ((duty, "what ought to be"), *_told(text)) if one[0]), None
    )
    if found is None or found[0] is None:
        return None
    return Ignored.OPINION, f"{found[1]}: “{found[0][0]}”"


def _told(text: str) -> Iterator[tuple[re.Match[str] | None, str]]:
    yield _CONDITION.search(text), "a condition"
    yield _AWARDS_TALK.search(text), "praise"
    yield _GOSSIP.search(text), "somebody's private life"
    yield _CLAUSE.search(text), "a clause of a contract"
    if not _FIGURE.search(text):
        yield _REMARK.search(text), "a general remark"
        yield _WORTH.search(text), "worth without a figure"
        yield _BELIEF.search(text), "what somebody thinks"


def cost(text: str) -> float:
    """Return what a sentence loses for what it weighs, and where it tells no event."""
    weighing = len(_WORTH.findall(text)) + len(_BELIEF.findall(text))
    return (
        _PER_WORD * weighing
        + (0.0 if _FIGURE.search(text) else _WITHOUT_FIGURE)
        + (0.0 if _PAST.search(text) else _OF_NO_EVENT)
    )
