"""Which part of an article a section is, by its headings. Pure."""

from enum import Enum

from handlers.model import Section
from handlers.page.anchors import normalised
from handlers.updates.headings import is_apparatus


class Part(Enum):
    """What is expected of the words of a section."""

    LEAD = "lead"
    BODY = "body"
    STORY = "story"  # of a work of fiction, which is its own source
    LIST = "list"  # of works, cast, prizes …
    APPARATUS = "apparatus"


_STORIES = frozenset(
    """plot,plot summary,plot synopsis,synopsis,story,storyline,premise,summary,episodes,
    characters,main characters,plot introduction,plot overview,fictional history,
    fictional character biography,setting,gameplay,narrative,libretto,
    characters and story,episode summary,series overview,cast,cast and characters,
    voice cast,characters and cast,cast list,fictional biography,character biography""".replace(
        "\n    ", ""
    ).split(",")
)
_LISTS = frozenset(
    """discography,filmography,personnel,track listing,charts,awards,gallery,works,
    awards and nominations,publications,selected works,selected bibliography,credits,
    credits and personnel,certifications,weekly charts,release history,roster,squad,
    notable people,notable alumni,alumni,list of works,bibliography of works,books,
    partial bibliography,career statistics,results,standings,medalists,schedule,
    formats and track listings,formats and track listing,track listings,in media,
    partial filmography,selected filmography,species,list of species,taxonomy,albums,
    singles,writings,roles,honours,honors,accolades,statistics,nomenclature,twin towns,
    sister cities,international relations,image gallery,images""".replace(
        "\n    ", ""
    ).split(",")
)


def tells_story(heading: str) -> bool:
    """Tell whether a section of this heading tells what happens in a work of fiction."""
    return normalised(heading) in _STORIES


def part_of(section: Section) -> Part:
    """Return which part of its article a section is."""
    if section.level == 0:
        return Part.LEAD
    if is_apparatus(section.path):
        return Part.APPARATUS
    headings = [normalised(heading) for heading in section.path]
    if any(map(tells_story, headings)):
        return Part.STORY
    return Part.LIST if any(each in _LISTS for each in headings) else Part.BODY
