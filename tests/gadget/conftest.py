"""Lends the real services to the tests of `gadget`."""

from tests.rig.fixtures import (
    changes_port,
    chromium,
    mariadb_socket,
    mariadb_url,
    no_write_leaves,
    recorder,
    wiki,
    wiki_proxy,
)

__all__ = [
    "changes_port",
    "chromium",
    "mariadb_socket",
    "mariadb_url",
    "no_write_leaves",
    "recorder",
    "wiki",
    "wiki_proxy",
]
