"""How far another machine's clock is from ours, and what that means."""

from bot.app.doctor.values import Notes
from bot.daemon.status.situation import span

_MUCH_S, _TOO_MUCH_S = 5.0, 60.0
_REMEDY = "Set the clock of the one that is wrong (on Linux: timedatectl set-ntp true); leases, signatures and politeness hang on it."


def note_clock(notes: Notes, name: str, off_s: float, whose: str) -> None:
    """Write down a clock that is `off_s` ahead of ours (behind, if negative)."""
    if abs(off_s) < _MUCH_S:
        notes.fine(name, f"{whose} and ours agree")
        return
    seen = f"{whose} is {span(abs(off_s))} {'ahead of' if off_s > 0 else 'behind'} ours"
    if abs(off_s) < _TOO_MUCH_S:
        notes.warning(name, seen, _REMEDY)
    else:
        notes.broken(name, seen, _REMEDY)
