"""What was found, for programs."""

import json
from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from bot import __version__
from bot.app.doctor.values import Examination, Standing


def render_json(found: Sequence[Examination], at: datetime) -> str:
    """Return one JSON object; `standing` is that of the worst examination."""
    counts = Counter(one.standing for one in found)
    worst = next(
        one
        for one in (Standing.BROKEN, Standing.WARNING, Standing.FINE)
        if counts[one] or one is Standing.FINE
    )
    told = {
        "sidenote": __version__,
        "at": at.isoformat(timespec="seconds"),
        "standing": worst.value,
        "counts": {each.value: counts[each] for each in Standing},
        "examinations": [
            {
                "group": one.group.value,
                "name": one.name,
                "standing": one.standing.value,
                "seen": one.seen,
                "remedy": one.remedy,
            }
            for one in found
        ],
    }
    return json.dumps(told, ensure_ascii=False, indent=2) + "\n"
