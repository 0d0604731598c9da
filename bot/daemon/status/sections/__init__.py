"""The parts of the status page, in the order that people read them. Pure."""

from bot.daemon.status.sections.decided import decided_section
from bot.daemon.status.sections.found import (
    checks_section,
    costs_section,
    sources_section,
)
from bot.daemon.status.sections.running import (
    feeds_section,
    processes_section,
    tasks_section,
)
from bot.daemon.status.sections.searching import searches_sections
from bot.daemon.status.sections.settled import (
    communities_sections,
    settings_section,
    watches_section,
)
from bot.daemon.status.sections.waiting import (
    drafts_sections,
    plans_section,
    queue_section,
)
from bot.daemon.status.sections.written import notes_section, posts_section
from bot.daemon.status.situation import Situation
from bot.daemon.status.views import Section

__all__ = ["sections_of"]


def sections_of(situation: Situation) -> tuple[Section, ...]:
    """Return all parts."""
    return (
        processes_section(situation),
        feeds_section(situation),
        queue_section(situation),
        plans_section(situation),
        posts_section(situation),
        notes_section(situation),
        decided_section(situation),
        checks_section(situation),
        sources_section(situation),
        costs_section(situation),
        watches_section(situation),
        *drafts_sections(situation),
        *searches_sections(situation),
        tasks_section(situation),
        *communities_sections(situation),
        settings_section(situation),
    )
