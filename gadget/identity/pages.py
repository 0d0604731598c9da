"""The small pages for a person whom a wiki sent back here.

They hold no token, need no script, and can neither be framed nor load anything. They
are in the language of the browser.
"""

from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from html import escape
from http import HTTPStatus
from types import MappingProxyType

from bot.records.accounts import SignIn
from bot.report.words import moment
from bot.surfaces.messages import SOURCE, Words, message
from handlers.model import Message

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
    """A whole answer: what to say, and headers to send as they are.

    `fields` are the hidden ones of the form whose button says yes, if there is one.
    """

    status: int
    title: Message
    paragraphs: tuple[Message, ...]
    fields: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=lambda: _HEADERS)

    def html(self, language: str = SOURCE) -> str:
        """Return the page in one of the languages of the messages."""
        words = Words(language)
        paragraphs = "".join(f"<p>{words.html(one)}</p>\n" for one in self.paragraphs)
        title, form = words.html(self.title), ""
        if self.fields:
            hidden = "".join(
                f'<input type="hidden" name="{escape(name)}" value="{escape(value)}">'
                for name, value in self.fields.items()
            )
            yes = words.html(message("callback-yes"))
            form = f'<form method="get" action="">{hidden}<button>{yes}</button></form>'
        return (
            f'<!DOCTYPE html>\n<html lang="{language}" dir="{words.direction}">\n<head>\n'
            '<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            '<meta name="robots" content="noindex">\n'
            f"<title>{title} – Sidenote</title>\n<style>{_STYLE}</style>\n</head>\n"
            f"<body>\n<main>\n<h1>{title}</h1>\n{paragraphs}{form}\n</main>\n</body>\n"
            "</html>\n"
        )


def asking(
    wiki: str, user: str, state: str, code: str, started: Message | None = None
) -> CallbackPage:
    """Ask the person whether they meant to sign in.

    Someone else could have begun a sign-in and sent them the wiki's address; then that
    person would get the session. The answer is a GET to the same address, since
    browsers treat that all alike; the code works only once.

    Args:
        wiki: its host.
        user: whom the wiki names.
        state: of the sign-in.
        code: proves that they answered.
        started: when and on which device it was begun, as in `attempt_of`.
    """
    return CallbackPage(
        HTTPStatus.OK,
        message("callback-asking"),
        (
            message("callback-who", wiki, user),
            *((message("callback-started", started),) if started else ()),
            message("callback-only-you"),
        ),
        {"state": state, "confirm": code},
    )


def attempt_of(sign_in: SignIn) -> Message:
    """Return when and on which device a sign-in was begun, if known."""
    at, device = moment(sign_in.begun_at), sign_in.device
    known = [one.value for one in (device.browser, device.system) if one]
    key = ("attempt-unknown", "attempt-with", "attempt")[len(known)]
    return message(key, at, *known)


def done() -> CallbackPage:
    """Say that it is done."""
    return CallbackPage(
        HTTPStatus.OK, message("callback-done"), (message("callback-continue"),)
    )


def failed(why: Message, status: HTTPStatus = HTTPStatus.BAD_REQUEST) -> CallbackPage:
    """Say why nobody was signed in."""
    return CallbackPage(
        status, message("callback-failed"), (why, message("callback-close"))
    )
