"""What kind of thing a topic is, and the sections that articles of the kind have.

The headings and their order are those that Wikipedia's articles of each kind mostly
have; the words beside them tell which sentences belong under them. English only: for
another language a draft has its lead and one section. Pure.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Expected:
    """A section that a kind of article mostly has.

    `wants` says in plain words what it tells, for a search and for the encoder; `cues`
    is a pattern of the words that mark its sentences.
    """

    heading: str
    wants: str
    cues: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of article; `rest` is the heading for what fits nowhere else."""

    name: str
    told_by: re.Pattern[str]  # in a title, or in what opens a page
    sections: tuple[Expected, ...]
    rest: str


_BACKGROUND = (
    "Background",
    "what came before, origins, earlier history, causes",
    r"before|previous(?:ly)?|earlier|prior to|origin\w*|since \d{4}|years (?:ago|earlier)|history|founded|grew up|was born|had been|decades?|following the",
)
_REACTIONS = (
    "Reactions",
    "what governments, organisations and people said of it, condolences, criticism",
    r"condemn\w*|condolence\w*|react\w*|respon(?:se|ded)|criticis\w*|criticiz\w*|welcomed|praised|statement|tweet\w*|called (?:it|the|for)|expressed|urged|protest\w*",
)
_AFTERMATH = (
    "Aftermath",
    "what followed, consequences, later developments, memorials",
    r"after(?:wards|math)|later|memorial|vigil|funeral|as a result|consequen\w+|subsequent\w*|resign\w*|reopen\w*|rebuil\w*|donat\w*|fund(?:s|raiser)?|compensation|anniversary|legacy|relief|recovery|aid",
)
_RECEPTION = (
    "Reception",
    "reviews by critics, ratings, praise, viewers",
    r"review\w*|critic\w*|rated|rating|praised|Rotten Tomatoes|Metacritic|audience|stars out|viewers|acclaim\w*|score of|described|called (?:it|the)|performance is|best|worst",
)
_ACCOLADES = (
    "Accolades",
    "awards and nominations",
    r"award\w*|nominat\w+|Emmy|Oscar\w*|Grammy|BAFTA|Golden Globe|prize|honou?red",
)
_RELEASE = (
    "Release",
    "premiere, release date, distribution, streaming, box office",
    r"releas\w+|premier\w+|stream\w*|theat(?:er|re)\w*|cinemas|box office|gross\w*|distribut\w+|Netflix|Disney\+?|Prime Video|Hulu|trailer|broadcast|aired|available|festival",
)
_PRODUCTION = (
    "Production",
    "development, writing, casting and filming, direction, producers",
    r"produc\w+|direct(?:ed|or|ing|s)\b|film(?:ed|ing)|shot (?:in|on|at)|script|screenplay|writ(?:ten|er|ers|ing)|wrote|develop\w+|greenlit|order(?:ed)?|casting|joined the cast|announced|cinematograph\w+|editor|budget|studio|showrunner|adapt\w+|based on",
)
_CAST = (
    "Cast",
    "actors and the characters they play",
    r"stars?|starring|cast|play(?:s|ed|ing)|portray\w*|role|voiced?|actor|actress|co-star\w*|character|reprise\w*",
)
_PLOT = (
    "Premise",
    "the story, its characters and setting",
    r"follows|story|tells|set in|plot|protagonist|discovers?|finds?|learns?|tries|falls in love|must|decides|returns?|kill(?:s|ed)|daughter|son|wife|husband|father|mother|friend|village",
)
_HISTORY = (
    "History",
    "how it came about, founding, development over time",
    r"founded|established|built|began|started|origin\w*|history|century|first|opened|created|formed|became|in \d{4}|was (?:a|the)|since",
)
_LEGACY = (
    "Legacy",
    "influence, memory, significance",
    r"legacy|influence\w*|remember\w*|commemorat\w*|inspired|significan\w+|important|today|monument|heritage|preserv\w*",
)
_MUSIC = (
    "Music",
    "soundtrack, score, songs, composer",
    r"soundtrack|score[ds]?\b|compos\w+|songs?|album|music|theme",
)
_RESULTS = (
    "Results",
    "who won, votes, seats, final standings",
    r"won|win(?:s|ner|ners)?|defeat\w*|votes?|per ?cent|%|seats?|result\w*|elected|majority|turnout|margin|victory|champion\w*|title|medal\w*",
)

_Row = tuple[str, str, str]

_TABLE: Sequence[tuple[str, str, str, Sequence[_Row]]] = (
    (
        "crime",
        r"shooting|murders?|killing|assassination|stabbing|attacks?|bombing|massacre|kidnapping|hostage|abduction|disappearance|death|raid|robbery|heist|hijacking|terror\w*|riots?|cartel|gang|crime (?:group|family)|serial killer|cult",
        "Events",
        (
            _BACKGROUND,
            (
                "Events",
                "how it happened, the attack itself, time and place, who was hurt",
                r"shot|shoot\w*|opened fire|fire[ds]?\b|stab\w*|kill\w*|entered|arriv\w+|gun\w*|weapon\w*|rifle|knife|attack\w*|a\.?m\.?|p\.?m\.?|o'clock|morning|night|found (?:dead|the body)|body|911|scene|wounded|explo\w+|struck|fled|escaped|took place|happened|broke into|kidnapp\w*|abduct\w*",
            ),
            (
                "Victims",
                "the dead and injured, who they were",
                r"victims?|died|dead|injur\w+|wounded|casualt\w+|survivor\w*|aged|year-old|mother of|father of|identified as|hospital\w*|mourn\w*|famil(?:y|ies)|remembered",
            ),
            (
                "Perpetrator",
                "the suspect, their life and motives",
                r"suspect\w*|perpetrator|gunman|shooter|killer|accused|motiv\w+|diagnosed|mental\w*|manifesto|members?|leader|boss|identif\w+ (?:as|himself)",
            ),
            (
                "Investigation",
                "police inquiry, evidence, search, arrests",
                r"police|investigat\w+|detective\w*|evidence|forensic\w*|surveillance|FBI|autopsy|DNA|arrest\w*|search(?:ed)?|warrant|inquiry|officers?|tip|footage|video|leads?|reward|sanction\w*|garda[ií]?",
            ),
            (
                "Legal proceedings",
                "charges, trial, verdict, sentence, appeal",
                r"charged|charges|arraign\w*|plead\w*|pled|trial|jury|convict\w*|sentenc\w+|judge|court|prosecut\w+|attorney|appeal\w*|guilty|parole|prison|indict\w*|lawsuit|sued|hearing|bail|verdict|counts? of",
            ),
            _AFTERMATH,
            _REACTIONS,
        ),
    ),
    (
        "disaster",
        r"floods?|earthquake|cyclone|hurricane|typhoon|storm|tornado\w*|wildfires?|fire|crash|collapse|derailment|famine|drought|tsunami|eruption|landslide|disaster|explosion|pandemic|epidemic|outbreak|heat ?wave|spill|weather|sinking",
        "Impact",
        (
            _BACKGROUND,
            (
                "Meteorological history",
                "how the storm formed and moved, rainfall and wind",
                r"rain(?:fall)?|inches|storm|wind|tropical|low pressure|moisture|landfall|depression|front|forecast\w*|meteorolog\w+|National Weather Service|mph|km/h|temperature",
            ),
            (
                "Cause",
                "why it happened, investigations into its cause",
                r"caus\w+|due to|because|algae?|toxic|chemical|salinity|mercury|investigat\w+|inquiry|report (?:found|said)|scientists|experts|samples|collapse in|prices",
            ),
            (
                "Impact",
                "damage, deaths, injuries, evacuations, economic losses",
                r"damag\w+|destroy\w*|deaths?|died|killed|injur\w+|evacuat\w+|displaced|homes?|flood\w*|roads?|bridges?|losses|power|washed|stranded|rescu\w+|dead|starv\w+|malnutrition|children|hunger|unemploy\w*|workers|tons?|fish",
            ),
            (
                "Response",
                "relief, rescue, aid, emergency declarations, governments and organisations",
                r"relief|aid|emergency|declar\w+|assist\w*|FEMA|Red Cross|UNICEF|World Food|donat\w*|deploy\w*|volunteers?|supplies|government|minister|governor|president|million|humanitarian|respon\w+",
            ),
            _AFTERMATH,
            _REACTIONS,
        ),
    ),
    (
        "election",
        r"elections?|referendum|ballot|primar(?:y|ies)|Issue \d|Proposition \d|by-election|amendment",
        "Overview",
        (
            _BACKGROUND,
            (
                "Electoral system",
                "how members are elected, seats, rules, registration",
                r"electoral|system|constituenc\w+|proportional|wards?|seats|eligible|registered|regist\w+|threshold|ballot papers?|voting age|elected by|term|constitution\w*|signatures?|single transferable",
            ),
            (
                "Candidates",
                "who stood, parties, nominations",
                r"candidates?|nominat\w*|running|ran for|part(?:y|ies)|incumbent|ticket|endors\w*|contest\w*|stood|list",
            ),
            (
                "Campaign",
                "campaign, issues, debates, spending, polls",
                r"campaign\w*|debate\w*|rall(?:y|ies)|poll(?:s|ing)?|issues|pledged|promis\w+|spen[dt]\w*|donat\w*|raised|ad(?:s|vertis\w+)|supporters|opponents|oppos\w+|fund\w*",
            ),
            _RESULTS,
            _AFTERMATH,
            _REACTIONS,
        ),
    ),
    (
        "politics",
        r"impeachment|legislature|nomination|no-confidence|government|ministry|cabinet|parliament|council|convention|party|movement|relations|authority|committee|congress|judiciary|advisory|agency|association|organi[sz]ation|commission|federation|chapter|headquarters|relics",
        "Overview",
        (
            _BACKGROUND,
            _HISTORY,
            (
                "Organisation",
                "structure, leaders, members, staff, powers",
                r"leader\w*|chair\w*|members?|president|secretary|committee\w*|board|composed|consists|headed|appoint\w+|powers?|structure|organi[sz]\w+|court\w*|judges?|department\w*|speaker|jurisdiction",
            ),
            (
                "Policy",
                "platform, aims, laws and programmes",
                r"polic\w+|ideolog\w+|platform|aims?|law\w*|bill|legislation|reform\w*|act\b|program\w*|tax\w*|budget|agenda|supports|advocat\w+",
            ),
            (
                "Proceedings",
                "debates, motions, votes and decisions",
                r"vot\w+|motion\w*|debate\w*|hearing\w*|session\w*|approved|rejected|passed|confirm\w*|ratif\w*|impeach\w*|resolution|testif\w*|senat\w+|adopted|in favou?r|against",
            ),
            _AFTERMATH,
            _REACTIONS,
        ),
    ),
    (
        "law",
        r"treaty|directive|agreement|\bAct\b|court|\bv\.? |\bRex\b|case|law|bill|sanctions|price cap|regulation|convention|slavery|examination|allegations|corruption",
        "Overview",
        (
            _BACKGROUND,
            _HISTORY,
            (
                "Content",
                "provisions, scope, rules and mechanism",
                r"provi\w+|article|require\w*|establish\w*|appl(?:y|ies|ied)|scope|rules?|obligat\w+|prohibit\w*|permit\w*|information|mechanism|exchange|cap|ban(?:ned)?|exempt\w*|price|defin\w+|must|shall|eligib\w*",
            ),
            (
                "Proceedings",
                "facts of the case, arguments, judgment, negotiations",
                r"judg\w+|court|held|ruled|appeal\w*|argu\w+|trial|jury|charged|acquit\w*|verdict|negotiat\w+|sessions?|signed|adopted|ratif\w*|delegat\w+|vote[ds]?|agreed|investigat\w+|convict\w*",
            ),
            (
                "Effects",
                "what it led to, its significance and use since",
                r"effect\w*|impact\w*|result\w*|led to|since|revenue|increase\w*|decrease\w*|fell|rose|significan\w+|evaluat\w*|implement\w*|conditions|workers|trade",
            ),
            _AFTERMATH,
            _REACTIONS,
        ),
    ),
    (
        "strike",
        r"strikes?|protests?|demonstrations?|uprising|revolt|boycott|blockade|crisis|chaos|scandal|evacuation|response|incident|dispute",
        "Events",
        (
            _BACKGROUND,
            (
                "Events",
                "what happened day by day",
                r"strike\w*|walk\w* out|protest\w*|march\w*|began|started|gather\w*|clash\w*|police|crowd\w*|evacuat\w*|attack\w*|block\w*|arriv\w*|queue\w*|gas|troops|action|gates?|fans",
            ),
            (
                "Negotiations",
                "talks, offers and settlement",
                r"talks|negotiat\w*|offer\w*|deal|agreement|settle\w*|demand\w*|rejected|accepted|pay|proposal\w*|review|conciliat\w*|employers|ballot\w*|recommend\w*",
            ),
            (
                "Investigation",
                "inquiries, findings and blame",
                r"inquiry|report|investigat\w*|found|blame\w*|responsib\w*|panel|senate|review|evidence|charged|trial|sentenc\w*",
            ),
            _AFTERMATH,
            _REACTIONS,
        ),
    ),
    (
        "tour",
        r"tour|concert|festival|residency",
        "Overview",
        (
            _BACKGROUND,
            (
                "Concert synopsis",
                "the show, stage and performance",
                r"stage|perform\w*|set ?list|songs?|encore|crowd|lights?|sang|opened with|show",
            ),
            _RECEPTION,
            (
                "Shows",
                "dates, venues, tickets and attendance",
                r"tickets?|arena|stadium|dates?|venue\w*|attend\w+|gross\w*|sold",
            ),
        ),
    ),
    (
        "song",
        r"\bsong|single|album|\bEP\b|mixtape|soundtrack|discograph\w*|march(?=\b.{0,30}Sousa)|music from",
        "Overview",
        (
            (
                "Background and release",
                "how it came about, announcement, release",
                r"releas\w+|announc\w+|single|label|record(?:ed|ing|s)|studio|debut|wrote|written|tracks?|album|follow-up|EP\b|digital|collaborat\w*",
            ),
            (
                "Composition and lyrics",
                "genre, instruments, sound and words",
                r"genre|pop|rock|hip hop|R&B|synth\w*|guitar|piano|beats?|tempo|key of|lyric\w*|sings?|chorus|verse|melod\w*|sound\w*|instrument\w*|produc\w+|theme|orchestra\w*|vocals?",
            ),
            (
                "Music video",
                "the video and visual material",
                r"video|directed|visual\w*|clip|scene|teaser",
            ),
            (
                "Critical reception",
                "reviews and praise",
                _RECEPTION[2],
            ),
            (
                "Commercial performance",
                "charts, sales and certifications",
                r"chart\w*|Billboard|number one|peak\w*|copies|sold|sales|certif\w*|platinum|gold|debuted at|streams",
            ),
            _ACCOLADES,
        ),
    ),
    (
        "game",
        r"video game|survival|gameplay|board game",
        "Overview",
        (
            (
                "Gameplay",
                "how it is played",
                r"play\w*|game|levels?|weapons?|controls?|mission\w*|crafting|enem\w+|zombies?|multiplayer",
            ),
            _PLOT,
            (
                "Development and release",
                "developer, publisher, release",
                _RELEASE[2]
                + "|develop\\w+|publish\\w+|Steam|Nintendo|PlayStation|Xbox",
            ),
            _RECEPTION,
        ),
    ),
    (
        "book",
        r"novel|novella|book|comics?|graphic novel|manga|murders$|s[uū]tra|joshua|gospel|psalm|return to|chapter|poem|play by",
        "Overview",
        (
            (
                "Summary",
                "the story or the contents",
                _PLOT[2] + r"|chapter|verse|teach\w*|dialogue|narrat\w+|describes?",
            ),
            (
                "Background",
                "author, writing and publication, origin of the text",
                r"author|wrote|written|publish\w+|translat\w*|born|edition|manuscript\w*|century|compos\w+|issue\w*|creat(?:ed|or)|Sanskrit|Tibetan|Hebrew",
            ),
            (
                "Analysis",
                "themes, style and interpretation",
                r"theme\w*|symbol\w*|style|interpret\w*|scholar\w*|represent\w*|explor\w*|metaphor|meaning|suggests?|argu\w+|doctrine|concept|covenant|circumcis\w*",
            ),
            (
                "Adaptations",
                "plays, films and other versions",
                r"adapt\w*|film|stage|theat(?:re|er)|version|series",
            ),
            _RECEPTION,
            _ACCOLADES,
        ),
    ),
    (
        "screen",
        r"film|movie|TV series|television|miniseries|mini-series|sitcom|episode|season \d+|\(season|series\)|web series|reality (?:show|television)|telenovela|Netflix|Bigg Boss|Big Brother|anime|documentary|drama|comedy|sequel|horror",
        "Overview",
        (_PLOT, _CAST, _PRODUCTION, _MUSIC, _RELEASE, _RECEPTION, _ACCOLADES),
    ),
    (
        "season",
        r"\bseasons?\b|League|qualification|championship|postseason|tournament|\bCup\b|Grand Prix|\bBowl\b|Games|Open|Havoc|wrestling|\bAEW\b|\bNXT\b|\bWWE\b|racing|Formula|march \d+",
        "Overview",
        (
            _BACKGROUND,
            (
                "Format",
                "teams, rules, draw, schedule, venues",
                r"format|teams?|clubs?|draw\w*|groups?|qualif\w*|seed\w*|schedule\w*|venue\w*|host\w*|rounds?|play-?offs?|rules|relegat\w+|promot\w+|ticket\w*",
            ),
            (
                "Players and staff",
                "signings, transfers, coaches, draft",
                r"sign(?:ed|ing|s)|contract|trade[ds]?|draft\w*|coach\w*|manager|roster|captain|transfer\w*|free agent|injur\w+|re-sign\w*|waived|hired|appointed",
            ),
            (
                "Summary",
                "games and races, who beat whom, scores",
                r"beat|defeat\w*|won|win|lost|loss|scor\w+|goals?|points?|lap\w*|race|quarter|half|match|game|touchdown\w*|inning\w*|pole|finish\w*|lead|yards?|series|victory|champion\w*|title|pin\w*|draws?",
            ),
            (
                "Statistics and awards",
                "records, medals, prizes",
                r"record|award\w*|MVP|medal\w*|most valuable|statistic\w*|all-time|player of|top scorer|trophy",
            ),
            _AFTERMATH,
        ),
    ),
    (
        "awards",
        r"awards?|pageant|Miss |contest|Eurovision|ceremony|prize",
        "Overview",
        (
            _BACKGROUND,
            (
                "Selection",
                "how entrants are chosen, rules, nominees",
                r"select\w*|nomin\w+|jury|members|eligib\w*|submitted|chosen|final|semi-?final|entries|national|contestants?|candidates?|short-?list",
            ),
            (
                "Ceremony",
                "the event, hosts, performances, venue",
                r"host\w*|ceremony|held|venue|perform\w*|broadcast|stage|presented|took place",
            ),
            _RESULTS,
            _REACTIONS,
        ),
    ),
    (
        "war",
        r"battle|war|siege|invasions?|campaign|regiment|battalion|infantry|brigade|\bHMS\b|\bHDMS\b|monitor|circumnavigation|armed forces|prisoners of war|hero city|red lines|occupation|muslim presence",
        "History",
        (
            _BACKGROUND,
            (
                "History",
                "what happened in order of time: battles, voyages, service",
                r"attack\w*|captur\w*|forces|troops|army|battle|fought|fleet|ship|sail\w*|arriv\w*|command\w*|regiment|invad\w*|defeat\w*|retreat\w*|surrender\w*|siege|offensive|killed|deployed|launched|soldiers|voyage|war",
            ),
            (
                "Design and organisation",
                "construction, units, strength, equipment",
                r"built|design\w*|guns?|armou?r|tons?|engine|metres|feet|units?|compan(?:y|ies)|base[ds]?|headquarters|personnel|recruit\w*|divisions?|composed|cadets|exchange\w*",
            ),
            _AFTERMATH,
            _LEGACY,
            _REACTIONS,
        ),
    ),
    (
        "place",
        r"museum|temple\w*|station|port|square|court\b|palace|castle|church|cathedral|hacienda|center|centre|bridge|river|architecture|kancha|altarpiece|carvings|megalithic|site|monument|building|artwork|hotel|park",
        "Overview",
        (
            _HISTORY,
            (
                "Description",
                "location, layout, architecture, materials, what can be seen",
                r"locat\w+|built of|architect\w*|design\w*|style|layout|walls?|rooms?|towers?|stone|brick|metres|feet|decorat\w*|figures?|paint\w*|floor|roof|courtyard|structure|facade|terracotta|carv\w*|panel|galler(?:y|ies)|light\w*",
            ),
            (
                "Collections and use",
                "exhibits, services, visitors, owners, trade",
                r"exhibit\w*|collection\w*|visitors?|tourists?|trains?|cargo|trade|services|owned|houses|display\w*|open to|operat\w*|shops?|festival|concert|museum",
            ),
            _LEGACY,
            (
                "Restoration and present day",
                "restoration, funding, recent years",
                r"restor\w*|renovat\w*|excavat\w*|fund\w*|project|conserv\w*|archaeolog\w*|20[012]\d|reopened|today|UNESCO",
            ),
        ),
    ),
    (
        "observance",
        r"\bday\b|feast|holiday|wedding|celebration|parade|ciclov[ií]a|raid",
        "Overview",
        (
            _BACKGROUND,
            _HISTORY,
            (
                "Events",
                "ceremony, programme, guests and celebrations",
                r"celebrat\w*|observ\w*|ceremony|held|guests?|procession|wore|dress|banquet|speech|church|participat\w*|organi[sz]\w*|program\w*|streets?|prayer\w*|devotion",
            ),
            _REACTIONS,
            _LEGACY,
        ),
    ),
)

_GENERIC: Sequence[_Row] = (
    _BACKGROUND,
    _HISTORY,
    (
        "Characteristics",
        "what it is, how it works, its parts",
        r"is a|are (?:a|the)|consists|include\w*|types?|structure|used (?:to|for)|known as|defined|function\w*|form\w*|process|cells?|system",
    ),
    (
        "Activities",
        "programmes, projects, services and events",
        r"program\w*|project\w*|service\w*|training|conference\w*|workshop\w*|launch\w*|publish\w*|provid\w*|support\w*|organi[sz]\w*|school\w*|education\w*|students?",
    ),
    (
        "Impact",
        "effects, significance, criticism",
        r"impact\w*|effect\w*|significan\w*|critici\w*|influence\w*|result\w*|disease\w*|risk\w*|rights|discriminat\w*|communit\w*",
    ),
    _REACTIONS,
)

_OTHER: Mapping[str, str] = MappingProxyType(
    {
        "de": "Verlauf",
        "fr": "Déroulement",
        "es": "Desarrollo",
        "it": "Svolgimento",
        "pt": "Desenvolvimento",
        "nl": "Verloop",
        "pl": "Przebieg",
        "sv": "Förlopp",
        "ru": "Ход событий",
        "ja": "経過",
        "zh": "经过",
    }
)
_FEWEST = 2
_PARENTHESES = re.compile(r"\([^()]*\)")
_BEHIND = re.compile(r" (?:of|in|to|at|for|on|by|from|against|v\.?) ")


def kind_of(title: str, opening: str, language: str) -> Kind:
    """Return the kind of thing that `title` names, as the title and `opening` tell.

    Args:
        title: of the article to be.
        opening: first sentences of pages on it.
        language: of the draft; another than English has one kind.
    """
    if not language.startswith("en"):
        return Kind("other", re.compile(r"(?!)"), (), _OTHER.get(language, ""))
    best, most = None, 0
    parts = _parts(title)
    for kind in _kinds():
        worth = sum(
            weight * len({one.lower() for one in kind.told_by.findall(part)})
            for part, weight in parts
        )
        worth += min(_FEWEST, len(kind.told_by.findall(opening)))
        if worth > most:
            best, most = kind, worth
    return best if best and most >= _FEWEST else _generic()


def _parts(title: str) -> tuple[tuple[str, int], ...]:
    """Return the parts of a title with what a word in each tells of the kind.

    "Killing of Jane Roe (2022 film)" is a film first, a killing next.
    """
    aside = _PARENTHESES.search(title)
    name = _PARENTHESES.sub("", title)
    head = _BEHIND.split(name, maxsplit=1)[0]
    return (
        (aside[0] if aside else "", 6),
        (head, 4),
        (name[len(head) :], 2),
    )


def wants_of(heading: str) -> tuple[str, ...]:
    """Return what a section of that heading mostly tells, for one that we know."""
    for kind in (*_kinds(), _generic()):
        for one in kind.sections:
            if one.heading.casefold() == heading.casefold():
                return (one.wants,)
    return ()


def expected(heading: str) -> Expected | None:
    """Return the section that we know by its heading, whatever the kind."""
    found = (
        one
        for kind in (*_kinds(), _generic())
        for one in kind.sections
        if one.heading.casefold() == heading.casefold()
    )
    return next(found, None)


@lru_cache(maxsize=1)
def _kinds() -> tuple[Kind, ...]:
    return tuple(
        Kind(
            name,
            re.compile(rf"\b(?:{told_by})(?:e?s)?(?!\w)", re.IGNORECASE),
            _sections(rows),
            rest,
        )
        for name, told_by, rest, rows in _TABLE
    )


@lru_cache(maxsize=1)
def _generic() -> Kind:
    return Kind("generic", re.compile(r"(?!)"), _sections(_GENERIC), "Overview")


def _sections(rows: Sequence[_Row]) -> tuple[Expected, ...]:
    return tuple(
        Expected(heading, wants, re.compile(rf"\b(?:{cues})\b", re.IGNORECASE))
        for heading, wants, cues in rows
    )
