"""How values are written that several sections have: lists, addresses, keys, names."""

import json
from contextlib import suppress
from ipaddress import ip_address
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, SecretStr
from pydantic_settings import NoDecode


def names_in(value: str) -> tuple[str, ...]:
    """Return the names in a list whose separators are commas or blanks."""
    return tuple(value.replace(",", " ").split())


def _listed(value: Any) -> Any:
    """Accept a JSON list, too; what only begins like one may be an IPv6 address."""
    if not isinstance(value, str):
        return value
    if value.lstrip().startswith("["):
        with suppress(ValueError, RecursionError):
            return json.loads(value)
    return names_in(value)


Names = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_listed)]
"""Names separated by commas."""

HostNames = Annotated[
    Names, AfterValidator(lambda names: tuple(name.lower() for name in names))
]
"""Names in which upper and lower case are the same."""


def is_web_address(value: str) -> bool:
    """Return whether `value` is an http(s) address of some host."""
    parts = urlsplit(value)
    return parts.scheme in {"http", "https"} and bool(parts.hostname)


def is_bare(address: str) -> bool:
    """Return whether an address has no user, password, query or fragment."""
    parts = urlsplit(address)
    return "@" not in parts.netloc and not parts.query and not parts.fragment


def is_private(address: str) -> bool:
    """Return whether nobody on the way can read what is sent to `address`."""
    parts = urlsplit(address)
    if parts.scheme != "http":
        return True
    try:
        return ip_address(parts.hostname or "").is_private
    except ValueError:
        return parts.hostname == "localhost"


def _fits_a_header(value: SecretStr) -> SecretStr:
    key = value.get_secret_value()
    if not key.isascii() or not key.isprintable() or " " in key:
        raise ValueError("use printable ASCII characters without spaces")
    return value


Key = Annotated[SecretStr, AfterValidator(_fits_a_header)]
"""A key that is sent in the head of a request."""


def _account(value: str) -> str:
    if not value.isprintable() or set("#<>[]|{}/:") & set(value):
        raise ValueError("give the name of an account, without “User:”")
    return value.strip()


AccountName = Annotated[str, AfterValidator(_account)]
"""The name of an account on a wiki, or the name it logs in with."""


def _user_page(value: str) -> str:
    """Return the title as the wiki writes it; empty stays empty."""
    title = value.replace("_", " ").strip()
    space, colon, name = title.partition(":")
    is_title = value.isprintable() and not set("#<>[]|{}") & set(value)
    if title and not (is_title and colon and space and name.strip()):
        raise ValueError("give a title such as User:You/Sidenote")
    return title


UserPage = Annotated[str, AfterValidator(_user_page)]
"""The title of a page in somebody's user space."""
