"""What can be visited. Pure."""

from collections.abc import Sequence

from handlers.drafts.embedded.kinds.rows import (
    HISTORY,
    LEGACY,
    Entry,
)

PLACES: Sequence[Entry] = (
    (
        "place",
        r"museum|temple\w*|station|port|square|court\b|palace|castle|church|cathedral|hacienda|center|centre|bridge|river|architecture|kancha|altarpiece|carvings|megalithic|site|monument|building|artwork|hotel|park",
        "Overview",
        (
            HISTORY,
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
            LEGACY,
            (
                "Restoration and present day",
                "restoration, funding, recent years",
                r"restor\w*|renovat\w*|excavat\w*|fund\w*|project|conserv\w*|archaeolog\w*|20[012]\d|reopened|today|UNESCO",
            ),
        ),
    ),
)
