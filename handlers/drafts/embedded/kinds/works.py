"""What is made to be heard, played, read or seen. Pure."""

from collections.abc import Sequence

from handlers.drafts.embedded.kinds.rows import (
    ACCOLADES,
    BACKGROUND,
    CAST,
    MUSIC,
    PLOT,
    PRODUCTION,
    RECEPTION,
    RELEASE,
    Entry,
)

WORKS: Sequence[Entry] = (
    (
        "tour",
        r"tour|concert|festival|residency",
        "Overview",
        (
            BACKGROUND,
            (
                "Concert synopsis",
                "the show, stage and performance",
                r"stage|perform\w*|set ?list|songs?|encore|crowd|lights?|sang|opened with|show",
            ),
            RECEPTION,
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
                RECEPTION[2],
            ),
            (
                "Commercial performance",
                "charts, sales and certifications",
                r"chart\w*|Billboard|number one|peak\w*|copies|sold|sales|certif\w*|platinum|gold|debuted at|streams",
            ),
            ACCOLADES,
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
            PLOT,
            (
                "Development and release",
                "developer, publisher, release",
                RELEASE[2] + "|develop\\w+|publish\\w+|Steam|Nintendo|PlayStation|Xbox",
            ),
            RECEPTION,
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
                PLOT[2] + r"|chapter|verse|teach\w*|dialogue|narrat\w+|describes?",
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
            RECEPTION,
            ACCOLADES,
        ),
    ),
    (
        "screen",
        r"film|movie|TV series|television|miniseries|mini-series|sitcom|episode|season \d+|\(season|series\)|web series|reality (?:show|television)|telenovela|Netflix|Bigg Boss|Big Brother|anime|documentary|drama|comedy|sequel|horror",
        "Overview",
        (PLOT, CAST, PRODUCTION, MUSIC, RELEASE, RECEPTION, ACCOLADES),
    ),
)
