"""Different words that encyclopaedias and their sources use for one thing.

Only pairs that rarely change the truth of a claim are listed: kinds of work, ways
to say that something was made, held or began, countries and their adjectives, and
spellings. They count as related, not as equal. Pure.
"""

from handlers.citations.cues.words import stem

_GROUPS = """
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


def _kin() -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for group in _GROUPS.replace("\n", "/").split("/"):
        stems = frozenset(stem(word) for word in group.split())
        for one in stems:
            found[one] = found.get(one, frozenset()) | stems
    return found


_KIN = _kin()
_NONE: frozenset[str] = frozenset()


def kin(one: str) -> frozenset[str]:
    """Return the stems that often stand for the stem `one`; itself may be among them."""
    return _KIN.get(one, _NONE)
