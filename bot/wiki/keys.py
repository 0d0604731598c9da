"""Signs what the bot writes, so that it recognises its own work.

Anyone could put an identity on a page, to make us believe that we have already posted,
or to make us remove what is not ours. So each comes with a code that only the holder of
the secret can make (HMAC-SHA256). Pure; the secret is passed in.
"""

import hmac
import re
from dataclasses import dataclass, field
from enum import Enum
from hashlib import sha256

from handlers.ports import PermanentError

LEAST_SECRET_BYTES = 16
_NAME_CHARS = 24  # 96 bits
_CODE_CHARS = 24
_NAME = re.compile(r"[0-9a-f]{24,64}")
TOKEN = r"[0-9a-f]{24}\.[0-9a-f]{24}"  # noqa: S105 - a pattern
"""A pattern for what `Keys.token` returns."""


class Purpose(Enum):
    """What is signed; a code for one purpose is not valid for another."""

    NOTE = "note"  # one suggestion on a page
    POST = "post"  # one write of ours: in its text and in its summary
    BLOCK = "block"  # the content of a block that we may rewrite


@dataclass(frozen=True, slots=True)
class Keys:
    """The first secret signs; codes of all are accepted, so that secrets can change."""

    secrets: tuple[bytes, ...] = field(repr=False)

    def __post_init__(self) -> None:
        """Reject secrets that can be guessed.

        Raises:
            PermanentError: there is none, or one is too short.
        """
        if not self.secrets or min(map(len, self.secrets)) < LEAST_SECRET_BYTES:
            raise PermanentError(
                "the secret that marks the bot's posts is missing or too short; set"
                f" SIDENOTE_BOT_SECRET to one of at least {LEAST_SECRET_BYTES} bytes, no space in it,"
                " such as `openssl rand -hex 32` gives, and keep it"
            )

    def token(self, purpose: Purpose, name: str) -> str:
        """Return `name`, shortened, with its code.

        Args:
            purpose: what it is the name of.
            name: a hash in hexadecimal, 24 to 64 digits; the first 24 count.

        Raises:
            ValueError: `name` is no such hash.
        """
        short = short_name(name)
        return f"{short}.{_code(self.secrets[0], purpose, short)}"

    def name_in(self, purpose: Purpose, token: str) -> str | None:
        """Return the short name in a token of ours; `None` if we did not make it."""
        short, _, code = token.partition(".")
        return short if self.is_signed(purpose, short, code) else None

    def sign(self, purpose: Purpose, text: str) -> str:
        """Return the code for any text."""
        return _code(self.secrets[0], purpose, text)

    def is_signed(self, purpose: Purpose, text: str, code: str) -> bool:
        """Return whether `code` was made for `text` with one of the secrets."""
        given = code.encode("utf-8", "replace")
        return any(
            hmac.compare_digest(_code(secret, purpose, text).encode(), given)
            for secret in self.secrets
        )


def short_name(name: str) -> str:
    """Return the part of a hash that appears on pages.

    Raises:
        ValueError: `name` is not 24 to 64 hexadecimal digits.
    """
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name!r} is not a hash in hexadecimal")
    return name[:_NAME_CHARS]


def _code(secret: bytes, purpose: Purpose, text: str) -> str:
    message = f"sidenote {purpose.value}\n{text}".encode("utf-8", "surrogatepass")
    return hmac.new(secret, message, sha256).hexdigest()[:_CODE_CHARS]


_LONGEST = 480  # characters; MediaWiki cuts at 500
# In a link of the summary; older summaries have it in separate brackets.
_KEY = re.compile(rf"(?:\[sidenote |\[\[[^\[\]|#]*#)({TOKEN})[\]|]")


def with_key(
    line: str, post: str, keys: Keys, *, stop: tuple[str, str] | None = None
) -> str:
    """Return a fixed line of ours with the key of `post`, a hash in hexadecimal.

    With a page title and link text as `stop`, the key is in that link, and a history
    shows only the link text.

    The key is found among the bot's contributions even after a person has removed the
    post or moved its page. Nothing from outside goes into a summary, because summaries
    make links and are checked against the spam blacklist, too.

    Raises:
        PermanentError: the line leaves no room for the key.
    """
    token = keys.token(Purpose.POST, post)
    key = f"([[{stop[0]}#{token}|{stop[1]}]])" if stop else f"[sidenote {token}]"
    if len(line) + len(key) + 1 > _LONGEST:
        raise PermanentError(
            f"the edit summary {line[:40]!r}… is too long by"
            f" {len(line) + len(key) + 1 - _LONGEST} characters; shorten it"
        )
    return f"{line} {key}"


def posts_in(summary: str, keys: Keys) -> frozenset[str]:
    """Return the short names of the posts whose genuine keys are in `summary`.

    Use this only for the bot's own edits: a key can be copied.
    """
    found = (keys.name_in(Purpose.POST, token) for token in _KEY.findall(summary))
    return frozenset(name for name in found if name)
