"""What is won: seasons, cups and prizes. Pure."""

from collections.abc import Sequence

from handlers.drafts.embedded.kinds.rows import (
    AFTERMATH,
    BACKGROUND,
    REACTIONS,
    RESULTS,
    Entry,
)

CONTESTS: Sequence[Entry] = (
    (
        "season",
        r"\bseasons?\b|League|qualification|championship|postseason|tournament|\bCup\b|Grand Prix|\bBowl\b|Games|Open|Havoc|wrestling|\bAEW\b|\bNXT\b|\bWWE\b|racing|Formula|march \d+",
        "Overview",
        (
            BACKGROUND,
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
            AFTERMATH,
        ),
    ),
    (
        "awards",
        r"awards?|pageant|Miss |contest|Eurovision|ceremony|prize",
        "Overview",
        (
            BACKGROUND,
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
            RESULTS,
            REACTIONS,
        ),
    ),
)
