"""Tells whether a browser has an answer already. RFC 9110, section 13. Pure.

The tags are weak: the same answer is sent compressed and not.
"""

import hashlib
import re

_TAG = re.compile(r'(?:W/)?"([^"]*)"')
_CHARS = 32
_MOST_CHARS = 4000


def tag_of(*parts: str | bytes) -> str:
    """Return the tag of what these parts decide."""
    made = hashlib.sha256()
    for part in parts:
        told = part.encode("utf-8", "replace") if isinstance(part, str) else part
        made.update(len(told).to_bytes(8, "big") + told)
    return f'W/"{made.hexdigest()[:_CHARS]}"'


def is_known(tag: str, if_none_match: str | None) -> bool:
    """Tell whether what a browser has is `tag`; what it sends may be a list."""
    if not if_none_match:
        return False
    if if_none_match.strip() == "*":
        return True
    bare = tag.removeprefix("W/").strip('"')
    return bare in _TAG.findall(if_none_match[:_MOST_CHARS])
