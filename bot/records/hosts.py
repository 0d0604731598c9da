"""Whose turn it is to ask a host of the web, where several processes ask. Pure."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class HostSlot:
    """The right to ask a host now; nobody else has it until it is ended or runs out.

    `token` is the fencing number: it grows with each turn of the host, and who has an
    older one ends nothing. With `is_throttling` the host said not long ago that it is asked
    too often.
    """

    host: str
    token: int
    is_throttling: bool = False


@dataclass(frozen=True, slots=True)
class HostBusy:
    """That a host may not be asked now; worth another try in `wait_s` seconds."""

    wait_s: float
