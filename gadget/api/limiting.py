"""How often one may ask: an address for anything, a reader for what changes something."""

from collections.abc import Callable, Mapping

from bot.readers import Reader
from gadget.api.operations import Cost, Operation
from gadget.api.parts import Rules
from gadget.api.problems import too_many
from gadget.limits.buckets import Buckets


class Limits:
    """Counts in memory; a restart forgets."""

    def __init__(self, rules: Rules, monotonic: Callable[[], float]) -> None:
        self._all = Buckets(rules.reads, monotonic)
        self._of_address: Mapping[Cost, Buckets] = {
            Cost.SIGN_IN: Buckets(rules.sign_ins, monotonic)
        }
        self._of_reader: Mapping[Cost, Buckets] = {
            Cost.WRITE: Buckets(rules.writes, monotonic),
            Cost.LOOK: Buckets(rules.looks, monotonic),
        }

    def check_address(self, asker: str) -> None:
        """Count a request of an address.

        Raises:
            Refusal: there were too many.
        """
        _take(self._all, asker)

    def check(self, operation: Operation, asker: str, reader: Reader | None) -> None:
        """Count what somebody asks for.

        Raises:
            Refusal: there was too much of it.
        """
        if operation.cost in self._of_address:
            _take(self._of_address[operation.cost], asker)
        if reader is not None and operation.cost in self._of_reader:
            _take(self._of_reader[operation.cost], reader.key)


def _take(buckets: Buckets, asker: str) -> None:
    wait_s = buckets.wait_s(asker)
    if wait_s:
        raise too_many(wait_s)
