"""Servers of other projects for tests, which skip where one is not installed.

How they run is `bot.demo.loopback.service`'s business.
"""

import os
from typing import NoReturn

import pytest

from bot.demo.loopback import service
from bot.demo.loopback.service import Service, give_to_server, run_once, server_folder
from handlers.ports import PermanentError

__all__ = [
    "Service",
    "absent",
    "give_to_server",
    "program",
    "run_once",
    "server_folder",
]


def absent(reason: str) -> NoReturn:
    """Skip the test for `reason`, or fail it where skips are failures."""
    if os.environ.get("SIDENOTE_NO_SKIPS"):
        pytest.fail(reason)
    pytest.skip(reason)


def program(name: str) -> str:
    """Return the path of an installed program, or skip the test."""
    try:
        return service.program(name)
    except PermanentError as error:
        absent(str(error))
