"""Settings for alerts to the operator when something is wrong."""

from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from pydantic import BaseModel, Field, SecretStr, field_validator

from bot.settings.posting import user_page


@dataclass(frozen=True, slots=True)
class MailWay:
    """A mail server that takes mail without a login, and who gets the mail."""

    server: str
    address: str


class AlertSettings(BaseModel):
    """Where an alert is sent; what is not set is not used."""

    alerts: SecretStr = Field(
        SecretStr(""),
        description="Who is notified when something goes wrong (account blocked, task stopped, budget spent, queue stalled), and when it is over: `smtp://SERVER/you@example.org` for a mail through a server that takes it without a login (on Toolforge `mail.tools.wmcloud.org`), `https://…` for a webhook that is sent JSON; several with spaces between.",
    )
    status_page: str = Field(
        "",
        max_length=250,
        description="Title of a user page on `wiki`, such as `User:You/Sidenote status`, on which a bot that posts reports its state. It is written if `run` is on `User:<bot_account>/Run/status`. Empty: none is.",
    )

    @field_validator("alerts")
    @classmethod
    def _alerts_are_addresses(cls, value: SecretStr) -> SecretStr:
        for one in value.get_secret_value().split():
            _way(one)
        return value

    @field_validator("status_page")
    @classmethod
    def _status_page_is_a_title(cls, value: str) -> str:
        return user_page(value)

    @property
    def alert_ways(self) -> tuple[MailWay | str, ...]:
        """The ways named in `alerts`; a webhook is given by its address."""
        return tuple(map(_way, self.alerts.get_secret_value().split()))


def _way(written: str) -> MailWay | str:
    parts = urlsplit(written)
    _ = parts.port
    if parts.scheme in {"http", "https"} and parts.hostname:
        return written
    address = unquote(parts.path.removeprefix("/"))
    name, _, host = address.partition("@")
    is_address = address.isascii() and address.isprintable() and name and host
    if parts.scheme != "smtp" or not parts.hostname or "@" in parts.netloc:
        raise ValueError("give smtp://SERVER/you@example.org or https://…")
    if not is_address or set(address) & set(" <>,;/"):
        raise ValueError("give one mail address, as in smtp://SERVER/you@example.org")
    return MailWay(parts.netloc, address)
