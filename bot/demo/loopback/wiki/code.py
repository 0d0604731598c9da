"""Where MediaWiki's own code is on this machine, and in which versions.

`.ci/install-services` unpacks 1.43 into a separate folder; Debian 12 has 1.39. The code
is only read, and never configured in place.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bot.demo.loopback.service import absence

PLACES = (
    Path("/var/cache/sidenote/mediawiki-1.43/usr/share/mediawiki"),
    Path("/usr/share/mediawiki"),
)


@dataclass(frozen=True, slots=True)
class Code:
    """MediaWiki as it was unpacked or installed."""

    folder: Path
    version: str  # such as "1.43.9"


def installed_code(places: Sequence[Path] = PLACES) -> tuple[Code, ...]:
    """Return every MediaWiki on this machine, the preferred one first."""
    return tuple(
        Code(place, _version(place)) for place in places if (place / "api.php").exists()
    )


def preferred_code(places: Sequence[Path] = PLACES) -> Code:
    """Return the MediaWiki to serve.

    Raises:
        PermanentError: there is none; the message has the remedy.
    """
    for code in installed_code(places):
        return code
    raise absence("MediaWiki")


def _version(place: Path) -> str:
    code = (place / "includes" / "Defines.php").read_text("utf-8")
    found = re.search(r"'MW_VERSION', '([^']+)'", code)
    return found[1] if found else "unknown"
