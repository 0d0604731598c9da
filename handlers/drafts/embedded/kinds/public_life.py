"""What states do: elections, bodies and laws. Pure."""

from collections.abc import Sequence

from handlers.drafts.embedded.kinds.rows import (
    AFTERMATH,
    BACKGROUND,
    HISTORY,
    REACTIONS,
    RESULTS,
    Entry,
)

PUBLIC_LIFE: Sequence[Entry] = (
    (
        "election",
        r"elections?|referendum|ballot|primar(?:y|ies)|Issue \d|Proposition \d|by-election|amendment",
        "Overview",
        (
            BACKGROUND,
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
            RESULTS,
            AFTERMATH,
            REACTIONS,
        ),
    ),
    (
        "politics",
        r"impeachment|legislature|nomination|no-confidence|government|ministry|cabinet|parliament|council|convention|party|movement|relations|authority|committee|congress|judiciary|advisory|agency|association|organi[sz]ation|commission|federation|chapter|headquarters|relics",
        "Overview",
        (
            BACKGROUND,
            HISTORY,
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
            AFTERMATH,
            REACTIONS,
        ),
    ),
    (
        "law",
        r"treaty|directive|agreement|\bAct\b|court|\bv\.? |\bRex\b|case|law|bill|sanctions|price cap|regulation|convention|slavery|examination|allegations|corruption",
        "Overview",
        (
            BACKGROUND,
            HISTORY,
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
            AFTERMATH,
            REACTIONS,
        ),
    ),
)
