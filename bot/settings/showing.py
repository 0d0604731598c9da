"""Settings as people may see them: no secret, and neither password nor key in an address."""

from enum import Enum
from urllib.parse import urlsplit

_WEB = ("http", "https")


def shown(value: object) -> str:
    """Return a setting's value for reading, without what an address may hide.

    That is its password, and on the web its query: keys of feeds stand there.
    """
    if isinstance(value, tuple):
        texts = (shown(each) if isinstance(each, str) else each for each in value)
        return str(tuple(texts))
    text = str(value.value if isinstance(value, Enum) else value)
    try:
        parts = urlsplit(text)
        password = parts.password
    except ValueError:
        return text
    if parts.scheme in _WEB and parts.query:
        text = text.replace(f"?{parts.query}", "?***")
    return text.replace(f":{password}@", ":***@") if password else text
