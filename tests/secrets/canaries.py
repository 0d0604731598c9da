"""Secrets that stand out, in every setting that holds one, and where they are looked for."""

import json
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from urllib.parse import quote, quote_plus

from pydantic import SecretStr

from bot.settings import Settings

# A sign that each encoding of addresses changes, so that no form is overlooked.
_MARK = "Canary+{}=7f3a9c"
_TOKEN = "ca9a27" * 5  # the token of a watchlist can only be hexadecimal
_CANARY = re.compile(rf"Canary\+[a-z0-9-]+=7f3a9c|{_TOKEN}")
_SHORTEST = 8


def canary(name: str) -> str:
    """Return the secret of a setting."""
    return _MARK.format(name.replace("_", "-"))


def secret_settings() -> dict[str, str]:
    """Return the environment that sets every secret setting there is."""
    names = [
        name
        for name, field in Settings.model_fields.items()
        if field.annotation is SecretStr
    ]
    settings = {f"SIDENOTE_{name.upper()}": canary(name) for name in names}
    del settings[
        "SIDENOTE_TOOLSDB_PASSWORD"
    ]  # it is only known by the name that is injected
    return {
        **settings,
        "TOOL_TOOLSDB_USER": "s1",
        "TOOL_TOOLSDB_PASSWORD": canary("toolsdb_password"),
        "SIDENOTE_OAUTH_CLIENTS": "a.example=0123",
        "SIDENOTE_OAUTH_CLIENT_SECRETS": f"a.example={canary('oauth_client_secrets')}",
        "SIDENOTE_SAVE_PAGE_KEYS": f"0123:{canary('save_page_keys')}",
        "SIDENOTE_WATCHLIST_TOKENS": f"Example={_TOKEN}",
        "SIDENOTE_ALERTS": f"http://127.0.0.1:1/{canary('alerts')}",
        "SIDENOTE_GOOGLE_ENGINE": "0123",
        "SIDENOTE_OAUTH": " ".join(canary(f"oauth_{number}") for number in range(4)),
    }


def secrets_of(settings: Mapping[str, str]) -> list[str]:
    """Return all canaries that stand in settings, each by itself."""
    return [found for value in settings.values() for found in _CANARY.findall(value)]


def found_in(texts: Iterable[tuple[str, bytes]], secrets: Iterable[str]) -> list[str]:
    """Return where one of `secrets` stands, in whatever form."""
    forms = {form: secret for secret in secrets for form in _forms(secret)}
    return [
        f"{secret} in {place}: …{_around(text, form)}…"
        for place, text in texts
        for form, secret in forms.items()
        if form in text
    ]


def files_of(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield every file below a folder, with its bytes."""
    for path in folder.rglob("*"):
        if path.is_file() and not path.is_symlink():
            yield str(path), path.read_bytes()


def _forms(secret: str) -> set[bytes]:
    raw = secret.encode()
    # As in `Basic …`, where something stands before and after it.
    inside = {b64encode(bytes(before) + raw)[4:-4] for before in range(3)}
    forms = {
        raw, quote(secret, safe="").encode(), quote_plus(secret).encode(),
        quote(secret).encode(), json.dumps(secret)[1:-1].encode(), raw.hex().encode(),
        b64encode(raw), *inside, raw[::-1], secret.lower().encode(),
    }  # fmt: skip
    return {form for form in forms if len(form) >= _SHORTEST}


def _around(text: bytes, form: bytes) -> str:
    at = text.find(form)
    return text[max(0, at - 80) : at + len(form) + 20].decode("utf-8", "replace")
