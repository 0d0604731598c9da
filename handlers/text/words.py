"""Words of a text with their places, reduced to stems that can be compared.

A claim and its source often inflect a word differently, so words are compared by a
light stem: case, accents, regular endings and the most common irregular forms are
folded away. It is deliberately weaker than a full stemmer: a wrong merge lets an
unsupported word pass, a missed one only costs a little coverage. A time of day is one
word, however it is written: "5:30 p.m. CDT", "530 pm" and "17:30" have one stem. Pure.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from math import log
from typing import NamedTuple, TypeAlias

from handlers.model import Span

_ZONE = (
    r"(?:UTC|GMT|Z|[ECMP][SD]?T|AK[SD]T|HST|BST|IST|JST|CES?T|EES?T|WES?T|MSK|AE[SD]T"
    r"|NZ[SD]T)\b"
)
_HALF = r"[ \u00a0]?(?i:[ap]\.m\.|[ap]m\b)"
_HOUR, _MINUTE = r"(?:[01]?\d|2[0-4])", r"[0-5]\d"
# A regular expression without groups, so that it can be part of another one.
TIME = (
    r"(?<![\d:.,])(?:"
    rf"{_HOUR}:{_MINUTE}(?::\d\d)?(?![\d:])(?:{_HALF})?(?:[ \u00a0]?{_ZONE})?"
    rf"|(?:1[0-2]|0?\d)(?:{_MINUTE})?{_HALF}(?:[ \u00a0]{_ZONE})?"
    rf"|(?:[01]\d|2[0-4])(?:{_MINUTE}[ \u00a0]?)?{_ZONE}"
    r")"
)
_PARTS = re.compile(
    r"(?P<hour>\d{1,2}?):?(?P<minute>\d\d)?(?::\d\d)?(?!\d)\W?(?P<half>[AaPp]\.?[Mm])?"
)
_HOURS, _HALF_DAY_HOURS = 24, 12

# Most words are letters; all others begin with a digit, times included.
_WORD = re.compile(
    rf"[^\W\d_]+(?:['’][^\W\d_]+)*|(?=\d)(?:(?P<time>{TIME})|\d+(?:[.,]\d+)*)"
)
_SHORTEST_STEM = 3
_MOST_KNOWN, _LONGEST_KNOWN = 2**14, 32  # words, characters

_STOP_WORDS = """
    a about above after again all also am an and any are as at be because been
    before being below between both but by can could did do does doing during each
    few for from further had has have having he her here hers herself him himself
    his how however i if in into is it its itself just me more most my no nor not
    now of off on once only or other our out over own same she should so some such
    than that the their theirs them themselves then there these they this those
    through to too under until up upon us very was we were what when where which
    while who whom whose why will with within would you your s t ll re ve d
    one two three several many much may might must shall since although though
    among along around against without via per including include
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())

# Numerals count as content: "two albums" is wrong where there were three.
_NUMERALS = frozenset({"one", "two", "three"})

_DIGITS = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen
    fourteen fifteen sixteen seventeen eighteen nineteen twenty
"""
_TENS = "thirty forty fifty sixty seventy eighty ninety"

_SAME = {
    form: base
    for base, forms in {
        **{str(value): word for value, word in enumerate(_DIGITS.split())},
        **{str(10 * n): word for n, word in enumerate(_TENS.split(), start=3)},
        "be": "is are was were been being",
        "become": "became",
        "begin": "began begun",
        "bring": "brought",
        "build": "built",
        "buy": "bought",
        "catch": "caught",
        "child": "children",
        "choose": "chose chosen",
        "come": "came",
        "die": "died dies dying death deaths dead",
        "draw": "drew drawn",
        "drive": "drove driven",
        "fall": "fell fallen",
        "feel": "felt",
        "fight": "fought",
        "film": "films movie movies filmed filming",
        "find": "found",
        "fly": "flew flown",
        "get": "got gotten",
        "give": "gave given",
        "go": "went gone",
        "grow": "grew grown",
        "hold": "held",
        "keep": "kept",
        "know": "knew known",
        "lead": "led",
        "leave": "left",
        "lose": "lost loses losing loss",
        "make": "made",
        "man": "men",
        "marry": "married marries marriage wed wedding",
        "meet": "met",
        "pay": "paid",
        "person": "people persons",
        "rise": "rose risen",
        "run": "ran",
        "say": "said",
        "see": "saw seen",
        "sell": "sold",
        "send": "sent",
        "sing": "sang sung",
        "speak": "spoke spoken",
        "spend": "spent",
        "strike": "struck",
        "take": "took taken",
        "teach": "taught",
        "tell": "told",
        "think": "thought",
        "win": "won winning wins",
        "woman": "women",
        "write": "wrote written",
        "january": "jan",
        "february": "feb",
        "march": "mar",
        "april": "apr",
        "august": "aug",
        "september": "sep sept",
        "october": "oct",
        "november": "nov",
        "december": "dec",
        "television": "tv",
        "percent": "pct",
    }.items()
    for form in forms.split()
}

_KIN_GROUPS = """
    novel book/series show programme program/single song track/record album lp
    film picture feature documentary/writer author write pen novelist
    begin start commence launch open/end finish conclude close/broadcast air
    buy purchase acquire acquisition/sell sale/earn gross make/receive get win
    build construct construction erect building/create creation design develop
    found establish establishment founder foundation form create set/appoint name
    hire employ join appointment/elect election vote/choose select pick selection
    show display exhibit exhibition/direct director/produce producer production
    act actor actress star role play part portray appear appearance cast
    sing singer vocal vocalist/perform performance play performer/compose composer
    release issue publish publication come drop/announce reveal confirm declare say
    state report claim describe note mention/call name title dub know refer
    bear birth born/die kill killed fatality dead/marry wife husband spouse
    child kid son daughter/parent father mother/man male/woman female
    company firm business corporation enterprise/school college academy university
    pupil student/teacher professor lecturer instructor/study studies research
    doctor physician/lawyer attorney barrister solicitor/police officer cop
    car vehicle automobile/plane aircraft airplane jet/ship vessel boat
    road street highway avenue/house home residence/city town municipality
    area region district territory zone/site location place venue situated locate
    world global globally worldwide international/nation country national state
    large big huge major largest biggest/small little minor/new novel recent
    first debut inaugural initial/last final/early beginning/late later
    several multiple various numerous many/approximately roughly around about estimate
    increase rise grow growth gain/decrease fall drop decline reduce reduction
    war conflict battle/fight battle combat/attack assault raid/victory win defeat beat
    match game fixture/season campaign/coach manager trainer/squad team side club
    goal score point/champion title championship/tournament competition cup contest
    award prize honour honor medal/nominate nomination nominee/praise acclaim positive
    critic review reviewer/rating rate score/fan audience viewer crowd
    help aid assist assistance support/lead leader head chief/member part belong
    head leader chief chair president chairman/resign quit leave depart departure step
    move relocate transfer relocation/live reside residence lived/work job serve service
    serve service term/use utilize employ usage/need require requirement
    include feature contain comprise consist/own owner possess/control run operate
    operate operation run manage/fund finance money financial/cost price worth value
    law act legislation bill/court judge trial/convict guilty sentence/arrest detain
    damage destroy destruction destroyed/fire burn blaze/flood flooding/storm hurricane
    illness disease sick ill/covid coronavirus pandemic/vaccine vaccination
    centre center/theatre theater/colour color/programme program/labour labor
    defence defense/travel trip journey tour/visit visitor tourist/plan propose proposal
    allow permit let enable/stop halt cease discontinue cancel/return come back
    original originally initial initially/current currently present now/annual yearly
    former ex previous previously formerly/similar like alike/main primary chief principal
    british britain uk kingdom/england english/american usa america us
    france french/germany german/spain spanish/netherlands dutch holland/italy italian
    ireland irish/scotland scottish/wales welsh/sweden swedish/norway norwegian
    denmark danish/finland finnish/poland polish/turkey turkish/greece greek
    switzerland swiss/china chinese/japan japanese/portugal portuguese/russia russian
    soviet ussr/israel israeli/iraq iraqi/iran iranian/philippines filipino philippine
    thailand thai/belgium belgian/brazil brazilian/europe european eu/africa african
    chris christopher/matt matthew/mike michael/bill william will/bob robert rob
    tom thomas/jim james/dave david/steve steven stephen/joe joseph/tony anthony
    dan daniel/nick nicholas/alex alexander/ben benjamin/sam samuel/ed edward
    liz elizabeth/kate katherine catherine/greg gregory/jeff jeffrey/ken kenneth
    mr mister/st saint/mt mount/dept department/govt government/gov governor
    president presidential presidency/minister ministry/parliament mp/senate senator
"""

_NEGATION_WORDS = """
    not no never none neither nor without nobody nothing nowhere cannot hardly barely
    failed fail fails unable refused refuse declined denied lack lacks lacked false
    unsuccessful unsuccessfully untrue isn't wasn't aren't weren't don't doesn't didn't
    won't can't couldn't wouldn't shouldn't hasn't haven't hadn't n't n
"""
_NEGATIONS = frozenset(_NEGATION_WORDS.split())
_OPPOSITE_PAIRS = """
    more/less more/fewer most/least before/after first/last win/lose victory/defeat
    increase/decrease increased/decreased rise/fall rose/fell born/died north/south
    east/west northern/southern eastern/western male/female man/woman men/women
    father/mother son/daughter brother/sister husband/wife he/she his/her alive/dead
    early/late earlier/later old/young older/younger large/small larger/smaller
    largest/smallest high/low higher/lower highest/lowest above/below over/under
    begin/end began/ended start/finish open/close opened/closed success/failure
    successful/unsuccessful positive/negative good/bad best/worst better/worse left/right
    accept/reject accepted/rejected approve/reject support/oppose supported/opposed
    guilty/innocent convicted/acquitted hire/fire joined/left join/leave buy/sell
    bought/sold public/private major/minor summer/winter spring/autumn day/night
    morning/evening black/white true/false legal/illegal likely/unlikely
    include/exclude included/excluded includes/excludes only/also all/none always/never
    domestic/foreign national/international regular/irregular home/away long/short
    longest/shortest fast/slow top/bottom major/minor single/double real/fictional
    praised/criticized praised/criticised popular/unpopular majority/minority
"""
_OPPOSITES = tuple(tuple(pair.split("/")) for pair in _OPPOSITE_PAIRS.split())


def time_stem(text: str) -> str:
    """Return the form under which a text that matches `TIME` is compared."""
    found = _PARTS.match(text)
    if found is None:  # never happens if the text matches
        return text
    hour, minute = int(found["hour"]), int(found["minute"] or 0)
    half = (found["half"] or "").lower()
    if half and hour <= _HALF_DAY_HOURS:
        hour = hour % _HALF_DAY_HOURS + _HALF_DAY_HOURS * half.startswith("p")
    elif 0 < hour <= _HALF_DAY_HOURS and text[0] != "0" and ":" in text:
        return f"~{hour % _HALF_DAY_HOURS}:{minute:02}"
    return f"{hour % _HOURS}:{minute:02}"


# --- words ---


class Word(NamedTuple):
    """One word of a text: as written, in stemmed form, and where it is.

    `lowered` is the word in lower case. It is a number if it is written in digits,
    capitalised if it starts like a name, and has content if it means something by
    itself.
    """

    text: str
    stem: str
    lowered: str
    is_time: bool  # of day
    is_number: bool
    is_capitalised: bool
    is_content: bool
    start: int
    end: int

    @property
    def span(self) -> Span:
        """Return its place in the text."""
        return Span(self.start, self.end)


def words(text: str) -> tuple[Word, ...]:
    """Return the words of `text` in order; a number with separators is one word."""
    made = Word._make
    return tuple(
        [
            made((*_form(found[0], found.lastgroup), *found.span()))
            for found in _WORD.finditer(text)
        ]
    )


_Form: TypeAlias = tuple[str, str, str, bool, bool, bool, bool]


def _form(text: str, kind: str | None) -> _Form:
    """Return what does not depend on a word's place."""
    return (_known if len(text) <= _LONGEST_KNOWN else _formed)(text, kind)


def _formed(text: str, kind: str | None) -> _Form:
    lowered, first, is_time = text.lower(), text[0], kind == "time"
    return (
        text,
        time_stem(text) if is_time else stem(text),
        lowered,
        is_time,
        first.isdigit() and not is_time,
        first.isupper(),
        lowered not in STOP_WORDS or lowered in _NUMERALS,
    )


# Most words of a text were also in the one before. Long ones are rare, and are not
# kept, so that a text full of them cannot fill the memory.
_known = lru_cache(maxsize=_MOST_KNOWN)(_formed)


def stem(word: str) -> str:
    """Return the form under which `word` is compared."""
    folded = _fold(word)
    if folded[0].isdigit():
        return plain_number(folded)
    folded = folded.partition("'")[0] or folded
    return _without_e(_SAME.get(folded) or _without_ending(folded))


_GROUPED = re.compile(r"[1-9]\d{0,2}(?:,\d{2,3})*,\d{3}(?:\.\d+)?")


def plain_number(number: str) -> str:
    """Return a number without the separators of its thousands, and with a point.

    A comma that does not part thousands, or lakhs, stands before the decimals.
    """
    whole, comma, decimals = number.rpartition(",")
    if not comma or "," in whole or _GROUPED.fullmatch(number):
        return number.replace(",", "")
    return f"{whole.replace('.', '')}.{decimals}"


def content_stems(found: Iterable[Word]) -> frozenset[str]:
    """Return the distinct stems of the content words."""
    return frozenset(word.stem for word in found if word.is_content)


def _fold(word: str) -> str:
    lowered = word.casefold().replace("’", "'")
    if lowered.isascii():
        return lowered
    parts = unicodedata.normalize("NFKD", lowered)
    return "".join(part for part in parts if not unicodedata.combining(part)) or lowered


def _without_ending(word: str) -> str:
    for ending, instead in (("ies", "y"), ("ied", "y"), ("sses", "ss"), ("ing", "")):
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            return _undoubled(word[: -len(ending)] + instead)
    if word.endswith("ed") and len(word) - 2 >= _SHORTEST_STEM:
        return _undoubled(word[:-2])
    return _without_plural(word)


def _without_plural(word: str) -> str:
    if word.endswith(("ches", "shes", "xes", "zes")):
        return word[:-2]
    ends_in_s = word.endswith("s") and not word.endswith(("ss", "us", "is"))
    return word[:-1] if ends_in_s and len(word) > _SHORTEST_STEM else word


def _undoubled(word: str) -> str:
    doubled = len(word) > _SHORTEST_STEM and word[-1] == word[-2]
    return word[:-1] if doubled and word[-1] not in "lsz" else word


def _without_e(word: str) -> str:
    return word[:-1] if word.endswith("e") and len(word) > _SHORTEST_STEM else word


# --- related words ---


def _kin() -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for group in _KIN_GROUPS.replace("\n", "/").split("/"):
        stems = frozenset(stem(word) for word in group.split())
        for one in stems:
            found[one] = found.get(one, frozenset()) | stems
    return found


_KIN = _kin()
_NO_KIN: frozenset[str] = frozenset()


def kin(one: str) -> frozenset[str]:
    """Return the stems often used for the stem `one`; it may be among them."""
    return _KIN.get(one, _NO_KIN)


# --- rarity ---


@dataclass(frozen=True, slots=True)
class Rarity:
    """Document frequencies of the common stems; all others count as rare.

    `floor` is the frequency below which stems are not listed.
    """

    documents: int
    floor: int
    frequencies: Mapping[str, int]

    def __call__(self, stem: str) -> float:
        """Return the weight of `stem`, scaled so that an unlisted one weighs 1."""
        frequency = self.frequencies.get(stem, self.floor)
        return log(1 + self.documents / frequency) / log(
            1 + self.documents / self.floor
        )


# --- negation and opposites ---


def negations(found: Sequence[Word]) -> int:
    """Count the words that reverse the meaning of a sentence."""
    lowered = (word.lowered.replace("’", "'") for word in found)
    return sum(one in _NEGATIONS or one.endswith("n't") for one in lowered)


def opposed(claim_only: Set[str], evidence_only: Set[str]) -> int:
    """Count the pairs of opposites split between two aligned sentences.

    Both sets hold lower-case words that only one of the sentences has.
    """
    return sum(
        (one in claim_only and other in evidence_only)
        or (other in claim_only and one in evidence_only)
        for one, other in _OPPOSITES
    )
