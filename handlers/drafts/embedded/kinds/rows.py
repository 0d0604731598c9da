"""The form of a kind in the tables beside, and the sections that several kinds have.

The headings and their order are those that Wikipedia's articles of each kind mostly
have; the words beside them tell which sentences belong under them. English only. Pure.
"""

from collections.abc import Sequence

# A section: its heading, what it tells in plain words (for a search and for the
# encoder), and a pattern of the words that mark its sentences.
Row = tuple[str, str, str]
# A kind: its name, a pattern that tells it in a title or in what opens a page, the
# heading for what fits nowhere else, its sections.
Entry = tuple[str, str, str, Sequence[Row]]

BACKGROUND = (
    "Background",
    "what came before, origins, earlier history, causes",
    r"before|previous(?:ly)?|earlier|prior to|origin\w*|since \d{4}|years (?:ago|earlier)|history|founded|grew up|was born|had been|decades?|following the",
)
REACTIONS = (
    "Reactions",
    "what governments, organisations and people said of it, condolences, criticism",
    r"condemn\w*|condolence\w*|react\w*|respon(?:se|ded)|criticis\w*|criticiz\w*|welcomed|praised|statement|tweet\w*|called (?:it|the|for)|expressed|urged|protest\w*",
)
AFTERMATH = (
    "Aftermath",
    "what followed, consequences, later developments, memorials",
    r"after(?:wards|math)|later|memorial|vigil|funeral|as a result|consequen\w+|subsequent\w*|resign\w*|reopen\w*|rebuil\w*|donat\w*|fund(?:s|raiser)?|compensation|anniversary|legacy|relief|recovery|aid",
)
RECEPTION = (
    "Reception",
    "reviews by critics, ratings, praise, viewers",
    r"review\w*|critic\w*|rated|rating|praised|Rotten Tomatoes|Metacritic|audience|stars out|viewers|acclaim\w*|score of|described|called (?:it|the)|performance is|best|worst",
)
ACCOLADES = (
    "Accolades",
    "awards and nominations",
    r"award\w*|nominat\w+|Emmy|Oscar\w*|Grammy|BAFTA|Golden Globe|prize|honou?red",
)
RELEASE = (
    "Release",
    "premiere, release date, distribution, streaming, box office",
    r"releas\w+|premier\w+|stream\w*|theat(?:er|re)\w*|cinemas|box office|gross\w*|distribut\w+|Netflix|Disney\+?|Prime Video|Hulu|trailer|broadcast|aired|available|festival",
)
PRODUCTION = (
    "Production",
    "development, writing, casting and filming, direction, producers",
    r"produc\w+|direct(?:ed|or|ing|s)\b|film(?:ed|ing)|shot (?:in|on|at)|script|screenplay|writ(?:ten|er|ers|ing)|wrote|develop\w+|greenlit|order(?:ed)?|casting|joined the cast|announced|cinematograph\w+|editor|budget|studio|showrunner|adapt\w+|based on",
)
CAST = (
    "Cast",
    "actors and the characters they play",
    r"stars?|starring|cast|play(?:s|ed|ing)|portray\w*|role|voiced?|actor|actress|co-star\w*|character|reprise\w*",
)
PLOT = (
    "Premise",
    "the story, its characters and setting",
    r"follows|story|tells|set in|plot|protagonist|discovers?|finds?|learns?|tries|falls in love|must|decides|returns?|kill(?:s|ed)|daughter|son|wife|husband|father|mother|friend|village",
)
HISTORY = (
    "History",
    "how it came about, founding, development over time",
    r"founded|established|built|began|started|origin\w*|history|century|first|opened|created|formed|became|in \d{4}|was (?:a|the)|since",
)
LEGACY = (
    "Legacy",
    "influence, memory, significance",
    r"legacy|influence\w*|remember\w*|commemorat\w*|inspired|significan\w+|important|today|monument|heritage|preserv\w*",
)
MUSIC = (
    "Music",
    "soundtrack, score, songs, composer",
    r"soundtrack|score[ds]?\b|compos\w+|songs?|album|music|theme",
)
RESULTS = (
    "Results",
    "who won, votes, seats, final standings",
    r"won|win(?:s|ner|ners)?|defeat\w*|votes?|per ?cent|%|seats?|result\w*|elected|majority|turnout|margin|victory|champion\w*|title|medal\w*",
)
