"""Settings as people may see them: no secret, and neither password nor key in an address."""

import re
from enum import Enum

# On the web nothing before an "@" is of use to people, and keys stand in the query.
_WEB_USER = re.compile(r"(?i)(\bhttps?://)[^/?#\s]*@")
_WEB_QUERY = re.compile(r"(?i)(\bhttps?://[^\s?'\"]*)\?[^\s'\"]+")
# Of a database the user stays. A password may hold any sign but the last "@"; the options
# may hold a password, too.
_PASSWORD = re.compile(r"(?i)(\b(?!https?:)[a-z][a-z0-9+.-]*://[^:@/\s]*):\S*@")
_OPTIONS = re.compile(r"(?i)(\b(?!https?:)[a-z][a-z0-9+.-]*://[^\s?'\"]*)\?[^\s'\"]+")


def shown(value: object) -> str:
    """Return a setting's value for reading, without what an address may hide."""
    return masked(str(value.value if isinstance(value, Enum) else value))


def masked(text: str) -> str:
    """Return `text` without the passwords and keys of the addresses that stand in it."""
    text = _WEB_QUERY.sub(r"\1?***", _WEB_USER.sub(r"\1***@", text))
    return _OPTIONS.sub(r"\1?***", _PASSWORD.sub(r"\1:***@", text))
