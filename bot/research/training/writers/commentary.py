"""Tells what an encyclopaedia would not say: opinion, advertising, plans, chat.

English words are listed, for the embedded verifier judges English best; what needs
no words (questions, quotations, exclamations) is told in any language. What stands in
quotation marks is somebody's word and is left out of the look-up.

An opinion needs no adjective: "Germany is among its most important allies", "the G7
should remove the cap" and "the minister stresses that" are no facts of an article
either. What weighs without a figure is left out; a figure mostly is a fact.
"""

# ruff: noqa: RUF001  (the quotation marks and signs of web pages are meant)
import re
from collections.abc import Iterator
from dataclasses import dataclass

from handlers.documents import orders
from handlers.model import Ignored

Fault = tuple[Ignored, str]
_QUOTED = re.compile(
    r"[“\"«„][^”\"»“]{1,600}[”\"»“]|(?<!\w)[‘'][^’']{12,600}[’'](?!\w)"
)
_QUOTED_SHARE = 0.5
_SHORTEST_SPEECH = 20  # characters in quotation marks that are more than a title
_SAYS = re.compile(
    r"\b(?:said|says|saying|told|tells|added|adds|commented|tweeted|exclaimed|joked"
    r"|quipped|recalled|remarked|reflected|continued|concluded|insisted)\b"
)
_CRITIC = re.compile(
    r"\b(?:review|critic|prais|wrote|writing for|gave (?:it|the)|rated|describ|call(?:ed|ing)|"
    r"criticis|criticiz|stars?\b|out of (?:five|ten|four|5|10|4)|lauded|panned)",
)
# "I" behind a word that is written small: World War I is no writer.
_WRITER = re.compile(
    r"(?:^|(?:^|\s)(?:[a-z][\w'’-]*|\w+day|\d+)[,;:]?\s|[–—]\s?)I(?:['’](?:m|ve|d|ll)\b|\s[a-z])"
    r"|\b(?:[Ww]e(?:['’](?:re|ve|d|ll))?|[Oo]ur|[Oo]urselves|[Mm]y|[Mm]yself|[Ll]et['’]s|us)\b"
)
_READER = re.compile(r"\b(?:you|your|yours|yourself)\b|\b(?:you|we)['’]", re.IGNORECASE)
_SELLS = re.compile(
    r"\b(?:(?:buy|order|book|shop|download|register|donate|enrol?l|apply|stream|watch|listen)"
    r" (?:now|today|online|here|it|tickets)|tickets? (?:are|is|start|go|goes|went|sales?|prices?|can)|on sale (?:now|here)"
    r"|free (?:shipping|delivery|trial)|discount|coupon|promo code|gift cards?|best price"
    r"|add to (?:cart|basket)|in stock|don['’]t miss|stay tuned|check (?:it )?out|find out"
    r"|join us|contact us|visit our|learn more|sign up|subscribers? only|loved ones"
    r"|world[- ]class|state[- ]of[- ]the[- ]art|cutting[- ]edge|industry[- ]leading|one[- ]stop"
    r"|second to none|unrivall?ed|unparallell?ed|breathtaking|our mission"
    r"|must[- ](?:see|have|read|watch|visit)|hidden gem|look no further|perfect (?:place|way|gift|for)"
    r"|looking forward to|(?:delighted|proud|excited|thrilled|pleased|happy) to (?:announce|welcome|confirm|share)|don['’]t forget|per (?:night|person)|guests? (?:can|will|enjoy)|amenities)\b",
    re.IGNORECASE,
)
# Words of opinion that no statement of fact survives.
_JUDGES = re.compile(
    r"\b(?:amazing(?:ly)?|awesome|fantastic|gorgeous|hilarious(?:ly)?|terrific|masterpiece"
    r"|delightful|unforgettable|jaw[- ]dropping|heart[- ]?(?:warming|felt)|mind[- ]blowing"
    r"|awful|disgusting|ridiculous(?:ly)?|pathetic|boring|lovely|hopefully|needless to say|no doubt"
    r"|ought to|feels? like|pretty (?:much|good|well)|kind of|sort of|worth (?:watching|a watch|the)"
    r"|bad[- ]?ass|in (?:my|our) opinion|to be honest|the fact is|make no mistake|let alone"
    r"|well[- ]deserved|congratulat\w+|shame(?:ful)?(?:ly)?|disgrace(?:ful)?)\b",
    re.IGNORECASE,
)
# Words that a reporter puts beside a fact; an editor leaves them out and keeps the fact.
_COLOURS = re.compile(
    r"\b(?:stunning(?:ly)?|brilliant(?:ly)?|incredibl[ey]|wonderful(?:ly)?|superb(?:ly)?|masterful(?:ly)?"
    r"|spectacular(?:ly)?|heartbreaking|epic|iconic|legendary|magical|exciting|thrilling|gripping"
    r"|intriguing(?:ly)?|fascinating|tragic(?:ally)?|shocking(?:ly)?|horrific|terribl[ey]|charming"
    r"|undoubtedly|unquestionably|obviously|clearly|certainly|arguably|surely|simply|truly|really|actually"
    r"|must|should|regrettable|unjustified|unacceptable|has a (?:responsibility|duty)|sadly|unfortunately|fortunately|thankfully|luckily|mercifully|interestingly|surprisingly"
    r"|ironically|admittedly|frankly|of course|in fact|indeed|should (?:be|have|not|never|also)"
    r"|seems? (?:to|like|as)|seemed (?:to|like|as)|(?:looks?|sounds?) like|appears? to|greatest|best ever|worst ever|of all time"
    r"|perfect(?:ly)?|beautiful(?:ly)?|fun|cool|torrid|scary|poignant|outspoken|invaluable|outstanding"
    r"|dramatic(?:ally)?|impressive(?:ly)?|remarkabl[ey]|extraordinar(?:y|ily)|exceptional(?:ly)?"
    r"|immense(?:ly)?|immeasurabl[ey]|glorious(?:ly)?|sensational|stellar|dazzling|vibrant|stylish"
    r"|nestled|boasts?|boasting|renowned|prestigious|famed|beloved|highly anticipated|much[- ]anticipated"
    r"|long[- ]awaited|massive|huge|slender|bold(?:ly)?|brutal(?:ly)?|chilling|harrowing|notorious(?:ly)?"
    r"|thrilled|delighted|excited|proud(?:ly)?|honou?red to|pleased to|happy to|humbled|grateful"
    r"|misguided|horrendous|overly|obvious|indulgent|exhilarating|high[- ]stakes|showcased|tenacious"
    r"|resounding|untimely|horrible|stark(?:ly)?|wild|daunting|ferocious|fierce|bitter(?:ly)?"
    r"|passionate|committed to|strives?|dedicated to|award[- ]winning|leading provider|unique(?:ly)?"
    r"|aims? to|aiming to|wants? to|may (?:be|have|not)|could (?:be|have|also|not)|in order to|let['’]s"
    r"|lots? of|a bit|stuff|things|huge(?:ly)?|very|basically|literally|totally|absolutely|plenty of)\b",
    re.IGNORECASE,
)
# A page of opinion by its address or its title.
_COLUMN = re.compile(
    r"[/-](?:opinions?|op-?eds?|editorials?|commentary|comment|columns?|columnists|letters|blogs?|sermons?|devotionals?|perspectives?"
    r"|analysis-and-opinion)/|^(?:opinion|editorial|commentary|op-?ed|column|letter|first[- ]person|analysis)\b ?[:|–—-]"
    r"|[|–—-] ?(?:opinion|editorial|op-?ed)$",
    re.IGNORECASE,
)
# A page whose own sentences judge or retell, in its title.
_REVIEW = re.compile(
    r"\b(?:reviews?|recaps?|explained|ranking|ranked|best|worst|\d+ (?:things|reasons|facts|ways|times|best)"
    r"|theor(?:y|ies)|meaning (?:behind|of)|what we know|everything (?:you|we)|need to know|commentary"
    r"|essay|analysis|guide|preview|prediction|watch)\b",
    re.IGNORECASE,
)
# "Jane Roe (JR): The bridge …" is an interview.
_SPEAKER = re.compile(
    r"(?:[A-Z][\w.'’-]*\s){0,3}[A-Z][\w.'’-]*(?: \([A-Z]{1,4}\))?: ?[A-Z]"
)
_FEW_FACTS = 3  # names and numbers that a sentence with such words needs to be kept
_FEW_NAMES = 5  # that it needs where it has no figure
_FIGURE = re.compile(r"\d")
_MARKS = "™®℠"
_COLOUR_COST = 0.04  # of a score
_MOST_COLOURS = 1
_GUESSES = re.compile(
    r"\b(?:reportedly|rumou?r(?:s|ed)?|speculat\w+|supposedly|presumably|perhaps|maybe|probably"
    r"|possibly|likely|unlikely|expected to|anticipated to|poised to|(?:is|are|was|were|looks?|all) set to(?! music)"
    r"|slated to|due to be|tipped to|might|may (?:well|soon|yet)|could (?:soon|become|see|mean|end|change|lead|face|result|help|take|make|get)"
    r"|hop(?:es?|ing|ed) (?:to|that|for)|plans? to|planning to|planned to"
    r"|intends? to|proposes to|it remains to be seen|if (?:all|everything) goes|no word on"
    r"|not yet (?:known|clear)|unclear (?:if|whether|what|how|when)|sources (?:say|said|close)"
    r"|(?:is|are) said to|fans? (?:believe|think|theor\w+))\b",
    re.IGNORECASE,
)
_FUTURE = re.compile(
    r"\b(?:will|won['’]t|shall|(?:is|are) (?:going|about) to"
    r"|(?:is|are) (?:\w+ly )?(?:scheduled|planned|due) (?:to|for)|upcoming|coming soon"
    r"|later this (?:month|year|week)|next (?:week|month|year|season))\b|\w['’]ll\b"
)
_DECIDED = re.compile(
    r"\b(?:announced|confirmed|signed|appointed|named|elected|approved|agreed|ruled"
    r"|adopted|enacted|passed|selected|chosen|awarded|ordered|sentenced|scheduled|will replace"
    r"|will succeed)\b"
)
_INSTRUCTS = re.compile(
    r"^(?:See|Watch|Read|Click|Check|Visit|Find|Get|Join|Follow|Listen|Learn|Discover|Explore"
    r"|Enjoy|Try|Use|Make|Take|Note|Please|Remember|Imagine|Meet|Don['’]t|Scroll|Tap|Let|Keep"
    r"|Browse|Search|Download|Share|Tell|Thank(?:s| you)|Welcome|Here(?:['’]s| is| are)|Yes|No|Oh|Well"
    r"|Hey|Hi|Hello|Wow|Okay|OK|So)\b(?!['’]s)[ ,]"
)
_SMALL = re.compile(
    r"\b(?:odds|bookmaker|betting|sponsored by|viewers can|fans can|kick[- ]?off time|how to watch"
    r"|tune in|live stream|channel \d|sky sports|updated (?:at|on)|last updated|published (?:on|at)"
    r"|min(?:ute)? read|minutes? ago|hours? ago|days? ago|posted (?:on|by)|comments?\b.{0,12}\bposted"
    r"|this (?:article|post|page|story|website|site|video|review|blog|recap|piece|list|guide|report was)"
    r"|editor['’]s note|spoilers?|reporting by|edited by|contributed to this|correspondent"
    r"|closing date|deadline for|register(?:ing)? to vote|polling stations? (?:are|is|will) open|opening hours"
    r"|(?:starts?|begins?|kicks? off|opens?|closes?) (?:at )?\d{1,2}[:.]\d\d|\(?GMT\b|print editions?"
    r"|^tonight\b|later in the episode|this (?:week|episode)['’]s|error (?:was|has|occurred)|may earn|affiliate (?:links?|partners?|program\w*|commissions?)|earns? (?:an? )?commission|we use|your browser|instagram post|facebook page|hashtag)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Voice:
    """Why an encyclopaedia would not say a sentence, else what its colour costs it."""

    fault: Fault | None = None
    cost: float = 0.0  # to be taken from its score


def heard(text: str, *, telling: int, is_stale: bool) -> Voice:
    """Return how an encyclopaedia takes a sentence.

    Args:
        text: with single blanks.
        telling: how many names and numbers it has.
        is_stale: whether what was future then is past now.
    """
    own = _QUOTED.sub(" ", text)
    fault = (
        _not_a_statement(text, own)
        or _somebodys_word(text, own)
        or _advertises(own)
        or _judges(text, own)
        or (None if _CRITIC.search(text) else weighing_fault(own.strip()))
        or _guesses(own, is_stale=is_stale)
    )
    if fault:
        return Voice(fault)
    colours = [found[0] for found in _COLOURS.finditer(own)]
    few = _FEW_FACTS if _FIGURE.search(own) else _FEW_NAMES
    if colours and (telling < few or len(colours) > _MOST_COLOURS):
        return Voice((Ignored.OPINION, f"“{colours[0]}”"))
    return Voice(cost=_COLOUR_COST * len(colours) + weighing_cost(own))


def is_review(title: str) -> bool:
    """Tell by its title whether a page reviews, retells or ranks."""
    return bool(_REVIEW.search(title))


def is_column(address: str, title: str) -> bool:
    """Tell by its address and title whether a page is somebody's opinion."""
    return bool(_COLUMN.search(address) or _COLUMN.search(title.strip()))


def _not_a_statement(text: str, own: str) -> Fault | None:
    if "?" in own or "!" in own:
        return Ignored.NOT_A_FACT, "a question or an exclamation"
    if _INSTRUCTS.match(text):
        return Ignored.NOT_A_FACT, "it tells the reader what to do"
    if any(sign in own for sign in _MARKS):
        return Ignored.ADVERTISING, "the sign of a trade mark"
    if _SMALL.search(own):
        return Ignored.TRIVIAL, "about the page, or for viewers of the day"
    order = orders.fault(text)
    return (Ignored.NOT_A_FACT, order) if order else None


def _somebodys_word(text: str, own: str) -> Fault | None:
    if _SPEAKER.match(text):
        return Ignored.OPINION, "a speaker's words, or a label"
    quoted = [found for found in _QUOTED.findall(text) if len(found) > _SHORTEST_SPEECH]
    share = sum(map(len, quoted)) / len(text)
    if share > _QUOTED_SHARE or (quoted and _SAYS.search(own)):
        return Ignored.OPINION, "somebody's words"
    if _WRITER.search(own):
        return Ignored.OPINION, "the writer speaks of himself"
    return None


def _advertises(own: str) -> Fault | None:
    if _READER.search(own):
        return Ignored.ADVERTISING, "it speaks to the reader"
    found = _SELLS.search(own)
    return (Ignored.ADVERTISING, f"“{found[0]}”") if found else None


def _judges(text: str, own: str) -> Fault | None:
    found = _JUDGES.search(own)
    if found is None or _CRITIC.search(text):
        return None  # what a named critic says is for the section on reception
    return Ignored.OPINION, f"“{found[0]}”"


def _guesses(own: str, *, is_stale: bool) -> Fault | None:
    found = _GUESSES.search(own)
    if found:
        return Ignored.SPECULATION, f"“{found[0]}”"
    ahead = _FUTURE.search(own)
    if ahead and (is_stale or not _DECIDED.search(own)):
        return Ignored.SPECULATION, f"of the future: “{ahead[0]}”"
    return None


_NUMBER = re.compile(
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


def weighing_fault(text: str) -> Fault | None:
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
    if not _NUMBER.search(text):
        yield _REMARK.search(text), "a general remark"
        yield _WORTH.search(text), "worth without a figure"
        yield _BELIEF.search(text), "what somebody thinks"


def weighing_cost(text: str) -> float:
    """Return what a sentence loses for what it weighs, and where it tells no event."""
    weighing = len(_WORTH.findall(text)) + len(_BELIEF.findall(text))
    return (
        _PER_WORD * weighing
        + (0.0 if _NUMBER.search(text) else _WITHOUT_FIGURE)
        + (0.0 if _PAST.search(text) else _OF_NO_EVENT)
    )
