"""How readers sign in, and what we know about who asks."""

from collections.abc import Iterable
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import HTMLResponse, Response

from bot.records.accounts import Browser, Device, SignIn, SignInWay, System
from bot.surfaces.messages import language_wanted
from gadget.api.access import take
from gadget.api.answers import answer
from gadget.api.backend import Api, Backend, Operation, SignedIn
from gadget.api.problems import Refusal, documented, signed_out
from gadget.payloads.answers import (
    Attempt,
    ReaderAnswer,
    SignInBegun,
    Waiting,
    WaysAnswer,
)
from gadget.payloads.answers import SignedIn as SignedInAnswer
from gadget.payloads.fields import Token
from gadget.payloads.requests import Finish, OfWiki, SignInAsked

_MOST_QUERY_CHARS = 4000

router = APIRouter(route_class=Operation)

# The first match counts: most browsers claim to be several others, too.
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
    """Return what a browser says it is, if it is known here.

    Only the families of browser and system are kept: they are no use for tracking
    anybody, but enough to see that a sign-in was begun on a device that one does not
    have.
    """
    return Device(
        browser=next((one for word, one in _BROWSERS if word in user_agent), None),
        system=next((one for word, one in _SYSTEMS if word in user_agent), None),
    )


@router.get(
    "/ways",
    operation_id="waysToSignIn",
    summary="How readers of a wiki can sign in",
    responses=documented(404),
)
async def ways(api: Api, query: Annotated[OfWiki, Query()]) -> WaysAnswer:
    """There are none if nobody can sign in."""
    api.served(query.wiki)
    known = await api.parts.sign_ins.ways(query.wiki)
    return WaysAnswer(ways=[way.value for way in known])


@router.post(
    "/sign-ins",
    operation_id="beginSignIn",
    summary="Start signing in",
    status_code=201,
    response_description="It is begun.",
    responses=documented(404, 408, 413, 415),
)
async def begin(request: Request, api: Api, body: SignInAsked) -> SignInBegun:
    """The answer says what to do next."""
    take(api.sign_ins, api.address_of(request))
    api.served(body.wiki)
    begun = await api.parts.sign_ins.begin(
        body.wiki,
        SignInWay(body.way),
        body.secret_sha256,
        body.user,
        device_of(request.headers.get("User-Agent", "")),
    )
    return SignInBegun(
        state=begun.state,
        expires_at=begun.expires_at,
        begun_at=begun.begun_at,
        **_names(begun.device),
        authorize_url=begun.authorize_url,
        page=begun.page,
        text=begun.text,
        summary=begun.summary,
    )


@router.post(
    "/sign-ins/{state}/finish",
    operation_id="finishSignIn",
    summary="Fetch the token, once the reader has confirmed the sign-in",
    response_model=SignedInAnswer,
    responses=documented(404, 408, 413, 415)
    | {202: {"model": Waiting, "description": "It is in progress."}},
)
async def finish(api: Api, state: Annotated[Token, Path()], body: Finish) -> Response:
    """The token is handed out once, to whoever began the sign-in."""
    signed = await api.parts.sign_ins.finish(state, body.secret)
    if signed is None:
        return answer(Waiting(), 202)
    return answer(
        SignedInAnswer(
            token=signed.token,
            user=signed.user,
            expires_at=signed.expires_at,
            others=_attempts(signed.others),
        )
    )


@router.get(
    "/reader",
    operation_id="reader",
    summary="Who is signed in",
    responses=documented(401),
)
async def reader(api: Api, session: SignedIn) -> ReaderAnswer:
    """Includes sign-ins in progress in their name."""
    known = session.reader
    until = await api.parts.readers.until(session.token)
    if until is None:
        raise signed_out()
    under_way = await api.parts.sign_ins.under_way(known.wiki, known.user)
    return ReaderAnswer(
        user=known.user,
        wiki=known.wiki,
        expires_at=until,
        attempts=_attempts(under_way),
    )


@router.delete(
    "/reader",
    operation_id="signOut",
    summary="Sign out",
    status_code=204,
    response_description="It is done.",
    responses=documented(401),
)
async def sign_out(api: Api, session: SignedIn) -> None:
    """The token is deleted."""
    await api.parts.readers.sign_out(session.token)


def _attempts(under_way: Iterable[SignIn]) -> list[Attempt]:
    return [
        Attempt(begun_at=each.begun_at, **_names(each.device)) for each in under_way
    ]


def _names(device: Device) -> dict[str, Any]:
    return {
        "browser": device.browser and device.browser.value,
        "system": device.system and device.system.value,
    }


async def callback(request: Request) -> Response:
    """Answer a person whom their wiki sent back here; not for scripts."""
    if len(request.url.query) > _MOST_QUERY_CHARS:
        raise Refusal(400, "This URL is too long. Sign in again.")
    api: Backend = request.app.state.backend
    page = await api.parts.sign_ins.callback(request.query_params)
    language = language_wanted(request.headers.get("Accept-Language", ""))
    return HTMLResponse(page.html(language), page.status, page.headers)
