"""What the tests of pages sign and name things with."""

from bot.wiki.keys import Keys
from bot.wiki.pages import Namespaces, Title, namespaces

KEYS = Keys((b"a secret of the tests", b"an older secret, still known"))
WIKI: Namespaces = namespaces(
    {4: "Wikipedia", 5: "Wikipedia talk"}, {"WP": 4, "WT": 5, "U": 2}
)
BOT = "SidenoteBot"


def title(written: str) -> Title:
    """Return a title of the tests' wiki."""
    found = WIKI.title(written)
    assert found is not None
    return found
