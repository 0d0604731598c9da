"""What sections of common names are about, in stems, whatever the article.

From how English Wikipedia's own layout guides for biographies, films, events, places
and organisations divide their subjects; the lists are ours. Pure.
"""

from collections.abc import Mapping
from functools import cache

from handlers.citations.cues.words import content_stems, words

_FAMILIES: Mapping[str, str] = {
    "early life background family education childhood youth": (
        "born birth raised grew parents father mother family childhood school college"
        " university graduated studied degree educated youth"
    ),
    "personal life marriage health": (
        "married wife husband divorced children daughter son engaged partner lives"
        " diagnosed illness religion residence"
    ),
    "career work professional biography": (
        "joined appointed began worked career role position contract signed team club"
        " company debut hired promoted retired"
    ),
    "death illness funeral": (
        "died death funeral buried cause hospital age memorial tribute cancer"
    ),
    "background context origins history prelude causes": (
        "founded established began earlier previously origin history since before"
        " created historical tension cause"
    ),
    "plot premise synopsis summary story": (
        "story follows discovers tells finds tries escapes returns kills falls"
        " reveals father mother home"
    ),
    "cast characters casting": (
        "stars actor actress plays role portrays cast character voiced joined casting"
    ),
    "production development filming writing shooting": (
        "filmed filming director producer screenplay script written shot studio"
        " developed production announced photography location crew budget editing"
    ),
    "music soundtrack score songs track composition recording": (
        "music song album track composed soundtrack score single singer recorded"
        " lyrics band studio producer"
    ),
    "release distribution broadcast marketing home media premiere": (
        "released premiered release trailer theatrical streaming dvd bluray netflix"
        " broadcast aired festival distributed date platform marketing poster"
    ),
    "box office commercial performance sales charts certifications": (
        "grossed million weekend opening sold copies chart peaked sales certified"
        " gold platinum budget theaters"
    ),
    "reception critical response reviews ratings": (
        "critic review praised rating score approval metacritic rotten tomatoes"
        " criticized positive negative audience viewers mixed"
    ),
    "awards accolades nominations honours honors recognition": (
        "award nominated won prize nomination best ceremony honor honour medal"
        " recipient category"
    ),
    "episodes series season": "episode season aired finale series directed written",
    "race qualifying practice result classification match final standings": (
        "race lap pole qualifying finished podium points driver rider won second"
        " third match goal score half minute victory penalty standings championship"
    ),
    "squad teams qualification format draw schedule venue": (
        "team group qualified draw round stage match venue stadium host format"
        " tournament players squad"
    ),
    "results votes election candidates campaign polling": (
        "vote candidate party seat won percent elected majority poll turnout ballot"
        " constituency campaign coalition nominee"
    ),
    "aftermath consequences legacy impact effects significance": (
        "after later legacy impact aftermath result led changed memorial anniversary"
        " rebuilt influence consequence"
    ),
    "reactions response responses statements international condemnation": (
        "said statement condemned president minister tweeted reaction response called"
        " government expressed sympathy condolences united"
    ),
    "investigation inquiry arrest trial legal proceedings lawsuit court charges": (
        "police investigation suspect arrested charged court trial judge sentence"
        " lawsuit evidence inquiry convicted pleaded prosecutor verdict"
    ),
    "casualties victims deaths injuries damage": (
        "killed injured died death victims wounded toll missing hospital damage"
        " destroyed houses buildings damaged"
    ),
    "attack shooting incident event crash accident timeline events battle": (
        "attack shot fired gunman explosion crash driver hit vehicle scene police"
        " officers minutes morning evening afternoon night"
    ),
    "meteorological synopsis storm impact preparations forecast": (
        "storm wind rain flood tornado hurricane landfall warning mph damage evacuated"
        " pressure intensity forecast"
    ),
    "protests strike demonstrations negotiations": (
        "protest demonstrators strike union march rally negotiation agreement"
        " government police crowd demand"
    ),
    "geography location climate environment": (
        "located river area square elevation climate temperature north south east west"
        " lake mountain"
    ),
    "demographics population": "population census inhabitants percent ethnic household age language",
    "economy finance business revenue": (
        "revenue profit company billion million market shares gdp industry employees"
        " quarter acquired ceo"
    ),
    "government politics administration organization structure leadership members": (
        "council mayor member minister government president committee chair director"
        " appointed elected organization board office"
    ),
    "transport infrastructure construction design architecture facilities": (
        "built building station road railway opened construction designed architect"
        " floors line bridge airport"
    ),
    "features gameplay specifications design technology hardware": (
        "feature player version screen device support game software update model"
        " battery camera mode"
    ),
    "research treatment symptoms cause diagnosis vaccine": (
        "study patients treatment disease virus symptoms clinical trial infection"
        " cases drug research effective"
    ),
    "controversy criticism allegations": (
        "criticized controversy accused allegation apology backlash complaint claimed"
        " lawsuit racist offensive"
    ),
    "schedule fixtures calendar dates": "date venue schedule day round time",
    "viewership audience broadcasting": "viewers rating million watched broadcast network channel",
}


@cache
def _families() -> tuple[tuple[frozenset[str], frozenset[str]], ...]:
    return tuple(
        (content_stems(words(names)), content_stems(words(marks)))
        for names, marks in _FAMILIES.items()
    )


def marks_of(heading: str) -> frozenset[str]:
    """Return stems that mark the facts of sections so called; none for unknown names."""
    named = content_stems(words(heading))
    found: frozenset[str] = frozenset()
    for names, marks in _families():
        if names & named:
            found |= marks
    return found
