"""Settings that say which addresses may be reached, and where the database is."""

import pytest
from sqlalchemy import make_url

from bot.app.wiring.sources import open_wall
from bot.settings import SettingsError, load_settings
from bot.sources.address_wall import ForbiddenAddressError
from tests.bot.settings.own_settings import no_settings_from_outside

__all__ = ["no_settings_from_outside"]


@pytest.mark.parametrize(
    "written", ['["127.0.0.1:8080", "[::1]:81"]', "127.0.0.1:8080, [::1]:81"]
)
def test_internal_addresses_become_pairs(
    monkeypatch: pytest.MonkeyPatch, written: str
) -> None:
    monkeypatch.setenv("SIDENOTE_INTERNAL_ADDRESSES", written)

    assert load_settings(None).exempt_addresses == {("127.0.0.1", 8080), ("::1", 81)}


@pytest.mark.parametrize(
    "written", ['["8.8.8.0/24", "2600::8"]', "8.8.8.0/24, 2600::8"]
)
def test_networks_that_are_denied_are_behind_the_wall(
    monkeypatch: pytest.MonkeyPatch, written: str
) -> None:
    monkeypatch.setenv("SIDENOTE_DENIED_NETWORKS", written)

    wall = open_wall(load_settings(None))

    for address in ("8.8.8.8", "::ffff:8.8.8.9", "2600::8", "10.0.0.1"):
        with pytest.raises(ForbiddenAddressError):
            wall.check_address(address, 443)
    wall.check_address("8.8.9.8", 443)


def test_no_cited_address_has_the_program_call_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SIDENOTE_PANEL_ADDRESS", "https://Panel.example.org/sidenote")
    monkeypatch.setenv("SIDENOTE_SERVE_NAMES", "status.example, wiki.example")
    monkeypatch.setenv("SIDENOTE_WIKIS", "https://wiki.example/w/")

    wall = open_wall(load_settings(None))

    for host in ("PANEL.example.org.", "status.example"):
        with pytest.raises(ForbiddenAddressError):
            wall.check_url(f"https://{host}/status")
    for host in ("www.example.org", "news.status.example", "wiki.example"):
        wall.check_url(f"https://{host}/")


@pytest.mark.parametrize(
    "written", ["8.8.8.8/24", "8.8.8.0/33", "example.org", "8.8.8"]
)
def test_a_network_that_is_none_is_reported(
    monkeypatch: pytest.MonkeyPatch, written: str
) -> None:
    monkeypatch.setenv("SIDENOTE_DENIED_NETWORKS", written)

    with pytest.raises(SettingsError, match="is not a network, such as"):
        load_settings(None)


@pytest.mark.parametrize("written", ["", " ", "[]"])
def test_no_internal_addresses_may_be_written_out(
    monkeypatch: pytest.MonkeyPatch, written: str
) -> None:
    monkeypatch.setenv("SIDENOTE_INTERNAL_ADDRESSES", written)

    assert load_settings(None).exempt_addresses == frozenset()


def test_toolsdb_is_found_by_what_toolforge_gives_to_each_job(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SIDENOTE_DATABASE", "toolsdb")
    monkeypatch.setenv("TOOL_TOOLSDB_USER", "s54321")
    monkeypatch.setenv("TOOL_TOOLSDB_PASSWORD", "p@ss/w:rd%")

    settings = load_settings(None)
    url = make_url(settings.database_url)

    assert (url.host, url.database) == (
        "tools.db.svc.wikimedia.cloud",
        "s54321__sidenote",
    )
    assert (url.username, url.password) == ("s54321", "p@ss/w:rd%")
    assert "p@ss" not in repr(settings)


def test_toolsdb_outside_of_toolforge_is_explained(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SIDENOTE_DATABASE", "toolsdb")
    monkeypatch.setenv("TOOL_TOOLSDB_USER", "s54321")
    monkeypatch.delenv("TOOL_TOOLSDB_PASSWORD", raising=False)

    with pytest.raises(SettingsError, match="TOOL_TOOLSDB_PASSWORD is not set"):
        load_settings(None)


@pytest.mark.parametrize(
    ("host", "found"),
    [
        pytest.param("db.example.org:3307", "db.example.org", id="a port"),
        pytest.param("/run/mysqld/s", "localhost", id="a socket"),
    ],
)
def test_toolsdb_may_be_elsewhere(
    monkeypatch: pytest.MonkeyPatch, host: str, found: str
) -> None:
    monkeypatch.setenv("SIDENOTE_DATABASE", "toolsdb")
    monkeypatch.setenv("TOOL_TOOLSDB_USER", "s1")
    monkeypatch.setenv("TOOL_TOOLSDB_PASSWORD", "x")
    monkeypatch.setenv("SIDENOTE_TOOLSDB_HOST", host)

    url = make_url(load_settings(None).database_url)

    assert url.host == found
    assert (url.port, url.query.get("unix_socket")) in {(3307, None), (None, host)}
