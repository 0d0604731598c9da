"""How readers say who they are, and what we know of who asks."""

from collections.abc import Iterable
from typing import Any

from bot.records.accounts import Browser, Device, SignIn, SignInWay, System
from gadget.api.operations import Answer, Asked, of
from gadget.api.problems import signed_out
from gadget.payloads.answers import (
    Attempt,
    ReaderAnswer,
    SignedIn,
    SignInBegun,
    Waiting,
    WaysAnswer,
)
from gadget.payloads.paths import SignInName
from gadget.payloads.requests import Finish, OfWiki, SignInAsked

# What somebody signs in with, in words that they know it by. Pure.
# Only the families are kept: they are no use for following anybody, and enough to see
# that a sign-in was begun with something that one does not have.

# The first that is found counts: most browsers claim to be several others, too.
_BROWSERS = (
    ("Edg", Browser.EDGE),
    ("OPR/", Browser.OPERA),
    ("Firefox/", Browser.FIREFOX),
    ("FxiOS/", Browser.FIREFOX),
    ("Chrome/", Browser.CHROME),
    ("CriOS/", Browser.CHROME),
    ("Safari/", Browser.SAFARI),
)
_SYSTEMS = (
    ("Android", System.ANDROID),
    ("iPhone", System.IOS),
    ("iPad", System.IOS),
    ("Windows", System.WINDOWS),
    ("Macintosh", System.MACOS),
    ("Linux", System.LINUX),
)


def device_of(user_agent: str) -> Device:
    """Return what a browser says that it is, as far as it is known here."""
    return Device(
        browser=next((one for word, one in _BROWSERS if word in user_agent), None),
        system=next((one for word, one in _SYSTEMS if word in user_agent), None),
    )


async def ways(asked: Asked) -> Answer:
    """Return how readers of a wiki can sign in."""
    wiki = of(OfWiki, asked.query).wiki
    known = await asked.parts.sign_ins.ways(wiki)
    return Answer(WaysAnswer(ways=[way.value for way in known]))


async def begin(asked: Asked) -> Answer:
    """Begin a sign-in, and say what the reader does next."""
    body = of(SignInAsked, asked.body)
    asked.served(body.wiki)
    begun = await asked.parts.sign_ins.begin(
        body.wiki,
        SignInWay(body.way),
        body.secret_sha256,
        body.user,
        device_of(asked.user_agent),
    )
    return Answer(
        SignInBegun(
            state=begun.state,
            expires_at=begun.expires_at,
            begun_at=begun.begun_at,
            **_names(begun.device),
            authorize_url=begun.authorize_url,
            page=begun.page,
            text=begun.text,
            summary=begun.summary,
        ),
        status=201,
    )


async def finish(asked: Asked) -> Answer:
    """Hand out the token of a sign-in to whoever began it."""
    state = of(SignInName, asked.names).state
    signed = await asked.parts.sign_ins.finish(state, of(Finish, asked.body).secret)
    if signed is None:
        return Answer(Waiting(), status=202)
    return Answer(
        SignedIn(
            token=signed.token,
            user=signed.user,
            expires_at=signed.expires_at,
            others=_attempts(signed.others),
        )
    )


async def reader(asked: Asked) -> Answer:
    """Return who is signed in."""
    known = asked.known()
    until = await asked.parts.readers.until(asked.token or "")
    if until is None:
        raise signed_out()
    under_way = await asked.parts.sign_ins.under_way(known.wiki, known.user)
    return Answer(
        ReaderAnswer(
            user=known.user,
            wiki=known.wiki,
            expires_at=until,
            attempts=_attempts(under_way),
        )
    )


async def sign_out(asked: Asked) -> Answer:
    """Forget a token."""
    asked.known()
    await asked.parts.readers.sign_out(asked.token or "")
    return Answer(status=204)


def _attempts(under_way: Iterable[SignIn]) -> list[Attempt]:
    return [
        Attempt(begun_at=each.begun_at, **_names(each.device)) for each in under_way
    ]


def _names(device: Device) -> dict[str, Any]:
    return {
        "browser": device.browser and device.browser.value,
        "system": device.system and device.system.value,
    }
