"""Tells the failures of an OpenSearch cluster apart.

What passes by itself (a full queue, a restart, a time-out) is a `TemporaryError`;
what a person must change (the password, the address, an index of another kind) is a
`PermanentError` with the remedy.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from opensearchpy.exceptions import (
    ConnectionError as NoConnectionError,
)
from opensearchpy.exceptions import (
    ConnectionTimeout,
    OpenSearchException,
    SSLError,
    TransportError,
)

from handlers.ports import PermanentError, TemporaryError

RETRY_S = 30.0
_BUSY = frozenset({408, 429, 502, 503, 504})
_MAX_REASON = 300


@dataclass(frozen=True, slots=True)
class Failures:
    """How the failures of one index at one address are put to a person."""

    address: str
    index: str

    @contextmanager
    def told(self) -> Iterator[None]:
        """Turn what the library raises in here into one of our two failures."""
        try:
            yield
        except SSLError as error:
            raise PermanentError(
                f"the certificate of OpenSearch at {self.address} is not valid; have it"
                " signed by an authority that this machine trusts"
            ) from error
        except (ConnectionTimeout, NoConnectionError) as error:
            raise TemporaryError(
                f"OpenSearch at {self.address} does not answer; check that it runs, and"
                " SIDENOTE_OPENSEARCH_ADDRESS",
                retry_in_s=RETRY_S,
            ) from error
        except TransportError as error:
            status = error.status_code if isinstance(error.status_code, int) else 400
            raise self.of(status, error.info) from error
        except (
            OpenSearchException,
            ValueError,
            TypeError,
            LookupError,
            AttributeError,
        ) as error:
            raise PermanentError(
                f"what {self.address} answers is not of OpenSearch ({error}); check"
                " SIDENOTE_OPENSEARCH_ADDRESS"
            ) from error

    def of(self, status: int, info: object) -> PermanentError | TemporaryError:
        """Return the failure for an answer with `status` and what it says."""
        why = _reason(info)
        if status in _BUSY:
            return TemporaryError(
                f"OpenSearch at {self.address} is too busy ({status}: {why})",
                retry_in_s=RETRY_S,
            )
        if status in {401, 403}:
            return PermanentError(
                f"OpenSearch at {self.address} refuses us ({status}: {why}); check"
                " SIDENOTE_OPENSEARCH_USER, SIDENOTE_OPENSEARCH_PASSWORD and that user's"
                " rights"
            )
        if "index_not_found" in why:
            return PermanentError(
                f"there is no index {self.index} at {self.address}; make it with"
                " `sidenote index FOLDER --opensearch`"
            )
        return PermanentError(
            f"OpenSearch at {self.address} does not take our request ({status}: {why});"
            f" if the index {self.index} is of another program, name another with"
            " SIDENOTE_OPENSEARCH_INDEX"
        )


def _reason(info: object) -> str:
    """Return the type and reason of an error as OpenSearch writes it."""
    error = info.get("error", info) if isinstance(info, Mapping) else info
    if isinstance(error, Mapping):
        error = f"{error.get('type', '')}: {error.get('reason', '')}"
    text = "".join(sign if sign.isprintable() else " " for sign in str(error))
    return text[:_MAX_REASON]
