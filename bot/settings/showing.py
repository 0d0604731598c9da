"""Settings as people may see them: no secret, and no password in an address."""

from enum import Enum
from urllib.parse import urlsplit


def shown(value: object) -> str:
    """Return a setting's value for reading, without the password in an address."""
    text = str(value.value if isinstance(value, Enum) else value)
    try:
        password = urlsplit(text).password
    except ValueError:
        return text
    return text.replace(f":{password}@", ":***@") if password else text
