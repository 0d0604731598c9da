"""What signing in goes by, and what it hands out."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from bot.records.accounts import Device, SignIn
from bot.wiki.oauth import OAuthClient

MOST_SESSION_DAYS = 30


@dataclass(frozen=True, slots=True)
class SignInRules:
    """How long what is good for, and as what we are known to wikis.

    `callback` is where a wiki sends people back, exactly as it is registered there.
    `clients` are those of the wikis that have OAuth, by host.
    """

    callback: str
    clients: Mapping[str, OAuthClient] = field(default_factory=dict)
    sign_in_s: float = 600.0
    session_days: int = MOST_SESSION_DAYS


@dataclass(frozen=True, slots=True)
class Begun:
    """What somebody does next who signs in: goes to an address, or saves a page."""

    state: str
    expires_at: datetime
    begun_at: datetime
    device: Device = field(default_factory=Device)
    authorize_url: str | None = None
    page: str | None = None
    text: str | None = None
    summary: str | None = None


@dataclass(frozen=True, slots=True)
class Signed:
    """Somebody has signed in; the `token` is not known here any longer.

    `others` were under way in the same name, and have ended with it.
    """

    token: str = field(repr=False)
    user: str
    expires_at: datetime
    others: tuple[SignIn, ...] = ()
