"""The summary of an edit: a fixed line with the key of the post.

The key is found among the bot's contributions even after a person has removed the
post or moved its page. Nothing from outside stands in a summary, for summaries make
links and are held against the spam blacklist, too. Pure.
"""

import re

from bot.wiki.markup.keys import TOKEN, Keys, Purpose
from handlers.ports import PermanentError

_LONGEST = 480  # characters; MediaWiki cuts at 500
_KEY = re.compile(rf"\[sidenote ({TOKEN})\]")


def with_key(line: str, post: str, keys: Keys) -> str:
    """Return a fixed line of ours with the key of `post`, a hash in hexadecimal.

    Raises:
        PermanentError: the line leaves no room for the key.
    """
    key = f"[sidenote {keys.token(Purpose.POST, post)}]"
    if len(line) + len(key) + 1 > _LONGEST:
        raise PermanentError(
            f"the edit summary {line[:40]!r}… is too long by"
            f" {len(line) + len(key) + 1 - _LONGEST} characters; shorten it"
        )
    return f"{line} {key}"


def posts_in(summary: str, keys: Keys) -> frozenset[str]:
    """Return the short names of the posts whose genuine keys stand in `summary`.

    Only ask this about edits of the bot itself: a key can be copied.
    """
    found = (keys.name_in(Purpose.POST, token) for token in _KEY.findall(summary))
    return frozenset(name for name in found if name)
