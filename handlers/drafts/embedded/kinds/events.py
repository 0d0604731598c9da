"""What happens: crimes, disasters, strikes, wars and feasts. Pure."""

from collections.abc import Sequence

from handlers.drafts.embedded.kinds.rows import (
    AFTERMATH,
    BACKGROUND,
    HISTORY,
    LEGACY,
    REACTIONS,
    Entry,
)

EVENTS: Sequence[Entry] = (
    (
        "crime",
        r"shooting|murders?|killing|assassination|stabbing|attacks?|bombing|massacre|kidnapping|hostage|abduction|disappearance|death|raid|robbery|heist|hijacking|terror\w*|riots?|cartel|gang|crime (?:group|family)|serial killer|cult",
        "Events",
        (
            BACKGROUND,
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
            AFTERMATH,
            REACTIONS,
        ),
    ),
    (
        "disaster",
        r"floods?|earthquake|cyclone|hurricane|typhoon|storm|tornado\w*|wildfires?|fire|crash|collapse|derailment|famine|drought|tsunami|eruption|landslide|disaster|explosion|pandemic|epidemic|outbreak|heat ?wave|spill|weather|sinking",
        "Impact",
        (
            BACKGROUND,
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
            AFTERMATH,
            REACTIONS,
        ),
    ),
    (
        "strike",
        r"strikes?|protests?|demonstrations?|uprising|revolt|boycott|blockade|crisis|chaos|scandal|evacuation|response|incident|dispute",
        "Events",
        (
            BACKGROUND,
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
            AFTERMATH,
            REACTIONS,
        ),
    ),
    (
        "war",
        r"battle|war|siege|invasions?|campaign|regiment|battalion|infantry|brigade|\bHMS\b|\bHDMS\b|monitor|circumnavigation|armed forces|prisoners of war|hero city|red lines|occupation|muslim presence",
        "History",
        (
            BACKGROUND,
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
            AFTERMATH,
            LEGACY,
            REACTIONS,
        ),
    ),
    (
        "observance",
        r"\bday\b|feast|holiday|wedding|celebration|parade|ciclov[ií]a|raid",
        "Overview",
        (
            BACKGROUND,
            HISTORY,
            (
                "Events",
                "ceremony, programme, guests and celebrations",
                r"celebrat\w*|observ\w*|ceremony|held|guests?|procession|wore|dress|banquet|speech|church|participat\w*|organi[sz]\w*|program\w*|streets?|prayer\w*|devotion",
            ),
            REACTIONS,
            LEGACY,
        ),
    ),
)
