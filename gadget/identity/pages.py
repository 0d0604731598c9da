"""The small pages for a person whom a wiki sent back here.

They hold no token, need no script, and can neither be framed nor load anything.
"""

from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC
from hashlib import sha256
from html import escape
from http import HTTPStatus
from types import MappingProxyType

from bot.records.accounts import SignIn
from handlers.findings import Message

_STYLE = """
:root { color-scheme: light dark; }
body { font: 1rem/1.6 sans-serif; margin: 0 auto; max-width: 34rem; padding: 2rem 1.25rem; }
h1 { font-size: 1.375rem; line-height: 1.3; }
button { background: #36c; border: 0; border-radius: 2px; color: #fff; cursor: pointer;
  font: inherit; font-weight: bold; min-height: 2.75rem; padding: 0.5rem 1rem; }
button:focus-visible { outline: 2px solid currentColor; outline-offset: 3px; }
"""
_HASH = b64encode(sha256(_STYLE.encode()).digest()).decode()
_HEADERS = MappingProxyType(
    {
        "Content-Security-Policy": (
            f"default-src 'none'; style-src 'sha256-{_HASH}'; form-action 'self';"
            " base-uri 'none'; frame-ancestors 'none'"
        ),
        "X-Frame-Options": "DENY",
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cache-Control": "no-store",
    }
)


@dataclass(frozen=True, slots=True)
class CallbackPage:
    """A whole answer: HTML, and headers to send as they are."""

    status: int
    html: str
    headers: Mapping[str, str] = field(default_factory=lambda: _HEADERS)


def asking(
    wiki: str, user: str, state: str, code: str, attempt: str = ""
) -> CallbackPage:
    """Ask the person whether they meant to sign in.

    `attempt` says when and on which device it was begun, as in `attempt_of`.

    Someone else could have begun a sign-in and sent them the wiki's address; then that
    person would get the session. The answer is a GET to the same address, since
    browsers treat that all alike; the code works only once.
    """
    return _page(
        HTTPStatus.OK,
        "Is it you who is signing in?",
        (
            f"<strong><bdi>{escape(wiki)}</bdi></strong> says that you are"
            f" <strong><bdi>{escape(user)}</bdi></strong>.",
            f"This sign-in was started {escape(attempt)}." if attempt else "",
            "Continue only if you just pressed “Sign in” in Sidenote yourself. If"
            " someone sent you a link to this page, close this window: nothing has"
            " happened yet.",
        ),
        '<form method="get" action="">'
        f'<input type="hidden" name="state" value="{escape(state)}">'
        f'<input type="hidden" name="confirm" value="{escape(code)}">'
        "<button>Yes, sign me in</button></form>",
    )


def attempt_of(asked: SignIn) -> str:
    """Return when and on which device a sign-in was begun, if known."""
    at = asked.begun_at.astimezone(UTC).strftime("at %H:%M UTC on %d %B %Y")
    device = asked.device
    browser = f" with {device.browser.value}" if device.browser else ""
    system = f" on {device.system.value}" if device.system else ""
    return f"{at}{browser}{system}"


def done() -> CallbackPage:
    """Say that it is done."""
    return _page(
        HTTPStatus.OK,
        "You are signed in",
        ("Close this window and continue in Sidenote.",),
    )


def failed(why: Message, status: HTTPStatus = HTTPStatus.BAD_REQUEST) -> CallbackPage:
    """Say why nobody was signed in."""
    return _page(
        status,
        "You are not signed in",
        (escape(str(why)), "Close this window."),
    )


def _page(
    status: HTTPStatus, title: str, paragraphs: tuple[str, ...], form: str = ""
) -> CallbackPage:
    message = "".join(f"<p>{each}</p>\n" for each in paragraphs if each)
    return CallbackPage(
        status,
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="robots" content="noindex">\n'
        f"<title>{title} – Sidenote</title>\n<style>{_STYLE}</style>\n</head>\n"
        f"<body>\n<main>\n<h1>{title}</h1>\n{message}{form}\n</main>\n</body>\n</html>\n",
    )
