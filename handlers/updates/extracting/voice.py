"""Tells what an encyclopaedia would not say: opinion, advertising, plans, chat.

English words are listed, for the embedded verifier judges English best; what needs
no words (questions, quotations, exclamations) is told in any language. What stands in
quotation marks is somebody's word and is left out of the look-up. Pure.
"""

# ruff: noqa: RUF001  (the quotation marks and signs of web pages are meant)

import re

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
_WRITER = re.compile(
    r"(?:^|[a-z0-9,;:–—] )I(?:['’](?:m|ve|d|ll)\b| [a-z])"
    r"|\b(?:[Ww]e(?:['’](?:re|ve|d|ll))?|[Oo]ur|[Oo]urselves|[Mm]y|[Mm]yself|[Ll]et['’]s|us)\b"
)
_READER = re.compile(r"\b(?:you|your|yours|yourself)\b|\b(?:you|we)['’]", re.IGNORECASE)
_SELLS = re.compile(
    r"\b(?:(?:buy|order|book|shop|download|register|donate|enrol?l|apply|stream|watch|listen)"
    r" (?:now|today|online|here|it|tickets)|tickets (?:are|start|go on sale)|on sale (?:now|here)"
    r"|free (?:shipping|delivery|trial)|discount|coupon|promo code|gift card|best price"
    r"|add to (?:cart|basket)|in stock|don['’]t miss|stay tuned|check (?:it )?out|find out"
    r"|join us|contact us|visit our|learn more|sign up|click|subscribers? only|loved ones"
    r"|world[- ]class|state[- ]of[- ]the[- ]art|cutting[- ]edge|industry[- ]leading|one[- ]stop"
    r"|award[- ]winning team|second to none|unrivall?ed|unparallell?ed|breathtaking"
    r"|must[- ](?:see|have|read|watch|visit)|hidden gem|look no further|perfect (?:place|way|gift|for)"
    r"|(?:thrilled|delighted|excited|proud|honou?red|pleased|happy|humbled|grateful|looking forward)"
    r" (?:to|that|about|with|by)|brought to life|passionate about|committed to|our mission)\b",
    re.IGNORECASE,
)
_JUDGES = re.compile(
    r"\b(?:amazing(?:ly)?|awesome|stunning(?:ly)?|brilliant(?:ly)?|incredibl[ey]|fantastic|wonderful(?:ly)?"
    r"|gorgeous|hilarious(?:ly)?|terrific|superb(?:ly)?|masterful(?:ly)?|masterpiece|delightful"
    r"|unforgettable|spectacular(?:ly)?|jaw[- ]dropping|heart[- ]?(?:breaking|warming|felt)|mind[- ]blowing"
    r"|epic|iconic|legendary|magical|exciting|thrilling|gripping|intriguing|fascinating|tragic(?:ally)?"
    r"|shocking(?:ly)?|horrific|terribl[ey]|awful|disgusting|ridiculous|pathetic|boring|lovely|charming"
    r"|undoubtedly|unquestionably|obviously|clearly|certainly|arguably|surely|simply|truly|really"
    r"|sadly|unfortunately|fortunately|thankfully|luckily|hopefully|interestingly|surprisingly"
    r"|ironically|admittedly|frankly|honestly|of course|needless to say|no doubt|in fact|indeed"
    r"|ought to|should (?:be|have|not|never|also)|must[- ]not|seems? (?:to|like|as)|feels? like|(?:looks?|sounds?) like"
    r"|pretty (?:much|good|well)|kind of|sort of|a lot of fun|worth (?:it|watching|a|the)"
    r"|greatest|best ever|worst ever|of all time|perfect(?:ly)?|beautiful(?:ly)?|fun|cool|bad[- ]?ass)\b",
    re.IGNORECASE,
)
_GUESSES = re.compile(
    r"\b(?:reportedly|rumou?r(?:s|ed)?|speculat\w+|supposedly|presumably|perhaps|maybe|probably"
    r"|possibly|likely to|unlikely to|is likely|expected to|anticipated|poised to|set to|slated to|due to be"
    r"|tipped to|looks? (?:set|likely)|might|may well|could (?:soon|be|have|become|see|also|mean|end)"
    r"|may (?:soon|have been|yet)|hop(?:es?|ing|ed) (?:to|that|for)|aims? to|aiming to|plans? to|planning to"
    r"|intends? to|wants? to|proposes to|it remains to be seen|if (?:all|everything) goes|no word on"
    r"|not yet (?:known|clear)|unclear (?:if|whether|what|how|when)|sources (?:say|said|close)"
    r"|is said to|are said to|fans? (?:believe|think|theor\w+)|theor(?:y|ies|ise|ize)s?)\b",
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
    r"|may earn|affiliate|commission|we use|your browser|instagram post|facebook page|hashtag)\b",
    re.IGNORECASE,
)


def fault(text: str, *, is_stale: bool) -> Fault | None:
    """Return why an encyclopaedia would not say `text`, `None` where it might.

    Args:
        text: a sentence with single blanks.
        is_stale: whether what was future then is past now.
    """
    own = _QUOTED.sub(" ", text)
    return (
        _not_a_statement(text, own)
        or _somebodys_word(text, own)
        or _advertises(own)
        or _judges(text, own)
        or _guesses(own, is_stale=is_stale)
    )


def _not_a_statement(text: str, own: str) -> Fault | None:
    if "?" in own or "!" in own:
        return Ignored.NOT_A_FACT, "a question or an exclamation"
    if _INSTRUCTS.match(text):
        return Ignored.NOT_A_FACT, "it tells the reader what to do"
    if _SMALL.search(own):
        return Ignored.TRIVIAL, "about the page, or for viewers of the day"
    return None


def _somebodys_word(text: str, own: str) -> Fault | None:
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
