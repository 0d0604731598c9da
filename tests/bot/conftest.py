"""Lends the real services to the tests of `bot`."""

from tests.rig.fixtures import mariadb_socket, mariadb_url, wiki

__all__ = ["mariadb_socket", "mariadb_url", "wiki"]
