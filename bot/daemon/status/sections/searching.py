"""How often search services were asked today, and which of them want peace. Pure."""

from bot.daemon.status.situation import Situation
from bot.daemon.status.views import Section, Table


def searches_sections(situation: Situation) -> tuple[Section, ...]:
    """Tell it, where any service was ever asked."""
    if not situation.quotas:
        return ()
    table = Table(
        "Services that update discovery searches",
        ("Service", "Requests today", "Allowed a day", "Asked again from", "Why"),
        tuple(
            (one.search, one.used, one.limit, one.free_at, one.note)
            for one in situation.quotas
        ),
        note="A day begins at midnight, UTC.",
    )
    return (Section("searches", "Searches", (), (table,)),)
