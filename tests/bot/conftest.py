"""Lends the real services to the tests of `bot`."""

from tests.rig.fixtures import (
    changes_port,
    mariadb_ready_url,
    mariadb_socket,
    mariadb_url,
    mariadbs,
    no_write_leaves,
    recorder,
    wiki,
    wiki_proxy,
)

__all__ = [
    "changes_port",
    "mariadb_ready_url",
    "mariadb_socket",
    "mariadb_url",
    "mariadbs",
    "no_write_leaves",
    "recorder",
    "wiki",
    "wiki_proxy",
]
