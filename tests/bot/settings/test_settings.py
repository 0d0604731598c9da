"""Settings: what may be set, how addresses, names and secrets are read."""

from pathlib import Path

import pytest
from pydantic import BaseModel, SecretStr
from sqlalchemy import make_url

from bot.app.wiring.sources import open_wall
from bot.settings import LogLevel, Settings, SettingsError, load_settings
from bot.settings.settings import shown
from bot.sources.address_wall import ForbiddenAddressError
from handlers.model import CheckKind
from tests.bot.settings.own_settings import no_settings_from_outside, settings_file

__all__ = ["no_settings_from_outside"]


def test_the_defaults_need_nothing_from_outside() -> None:
    settings = load_settings(None)

    assert settings.wiki == "en.wikipedia.org"
    assert settings.database_url.startswith("sqlite:///")
    assert "~" not in settings.database_url


def test_the_environment_wins_over_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = settings_file(tmp_path, 'wiki = "de.wikipedia.org"\nlog_level = "info"\n')
    monkeypatch.setenv("SIDENOTE_WIKI", "fr.wikipedia.org")

    settings = load_settings(file)

    assert settings.wiki == "fr.wikipedia.org"
    assert settings.log_level is LogLevel.INFO


def test_every_fault_is_named_at_once_with_its_value(tmp_path: Path) -> None:
    file = settings_file(
        tmp_path, 'wiki = "not a host"\nhost_delay_s = -1\nhots_delay_s = 3\n'
    )

    with pytest.raises(SettingsError) as caught:
        load_settings(file)

    message = str(caught.value)
    assert f"wiki in {file} = 'not a host': give a host name" in message
    assert f"host_delay_s in {file} = -1: Input should be greater" in message
    assert f"hots_delay_s in {file}: there is no such setting" in message
    assert "did you mean host_delay_s?" in message


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        pytest.param("SOURCE_TIMEOUT_S", "soon", "valid number", id="not a number"),
        pytest.param("LOG_LEVEL", "loud", "'debug', 'info'", id="not in the set"),
        pytest.param("CONTACT", "a\nb: c", "one line", id="header injection"),
        pytest.param("ARCHIVE_SERVICE", "ftp://x", "http", id="wrong scheme"),
        pytest.param("ALERTS", "you@example.org", "smtp://SERVER", id="bare mail"),
        pytest.param(
            "INTERNAL_ADDRESSES", '["localhost:1"]', "IP address", id="a name"
        ),
        pytest.param(
            "INTERNAL_ADDRESSES", '["127.0.0.1:0"]', "IP address", id="port 0"
        ),
        pytest.param("INTERNAL_ADDRESSES", "[1", "IP address", id="not JSON"),
        pytest.param("STREAMS", "[" * 50_000, "name streams", id="nested deeply"),
        pytest.param("INTERNAL_ADDRESSES", "[1]", "valid string", id="of numbers"),
        pytest.param("OPERATING_POINTS", "{", "OPERATING_POINTS", id="points not JSON"),
        pytest.param(
            "OPERATING_POINTS",
            '{"*": {"not supported": 0.4}}',
            "greater than or equal to 0.5",
            id="a threshold below chance",
        ),
        pytest.param(
            "OPERATING_POINTS",
            '{"*": {"wrong": 0.9}}',
            "'contradicted', 'not supported'",
            id="a kind that is none",
        ),
        pytest.param(
            "OPERATING_POINTS",
            '{"a page": {"contradicted": 0.9}}',
            "host name nor \\*",
            id="points of no wiki",
        ),
        pytest.param("DATABASE", "postgresql://h/d", "sqlite:///", id="other database"),
        pytest.param("DATABASE", "sidenote.sqlite", "sqlite:///", id="a bare file"),
        pytest.param("DATA_DIR", "~nobody-here/x", "no such user", id="no such user"),
    ],
)
def test_a_wrong_value_in_the_environment_is_explained(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, message: str
) -> None:
    monkeypatch.setenv(f"SIDENOTE_{name}", value)

    with pytest.raises(SettingsError, match=message):
        load_settings(None)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("wiki = ", "is not TOML", id="half a line"),
        pytest.param("= 1", "is not TOML", id="no name"),
        pytest.param("wiki = " + "[" * 50_000, "is not TOML", id="nested deeply"),
        pytest.param("# " + "x" * 100_000, "larger than 100,000", id="too large"),
        pytest.param('data_dir = "a\\u0000b"', "path of a folder", id="a zero in it"),
    ],
)
def test_a_broken_file_is_named(tmp_path: Path, text: str, message: str) -> None:
    file = settings_file(tmp_path, text)

    with pytest.raises(SettingsError, match=message) as caught:
        load_settings(file)

    assert str(file) in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="does not exist"):
        load_settings(tmp_path / "nowhere.toml")


def test_a_file_may_begin_with_the_mark_that_some_editors_write(tmp_path: Path) -> None:
    file = settings_file(tmp_path, '\ufeffwiki = "de.wikipedia.org"\n')

    assert load_settings(file).wiki == "de.wikipedia.org"


def test_every_setting_says_what_it_means() -> None:
    silent = [
        name for name, one in Settings.model_fields.items() if not one.description
    ]

    assert silent == []  # the documentation's table is made from these


def test_a_misspelt_variable_is_reported_with_what_was_meant(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SIDENOTE_CONTCT", "me@example.org")

    with pytest.raises(SettingsError, match="did you mean SIDENOTE_CONTACT"):
        load_settings(None)


@pytest.mark.parametrize("name", ["SIDENOTE_SHARED_DATA", "SIDENOTE_SETTINGS"])
def test_variables_of_other_parts_are_no_misspelt_settings(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, "x")

    assert load_settings(None).wiki == "en.wikipedia.org"


def test_thresholds_of_a_wiki_are_read_from_the_file_and_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = {"de.wikipedia.org": {CheckKind.NOT_FULLY_SUPPORTED: 0.9}}
    table = '[operating_points."de.wikipedia.org"]\n"not fully supported" = 0.9\n'

    assert load_settings(settings_file(tmp_path, table)).operating_points == wanted

    as_json = '{"de.wikipedia.org": {"not fully supported": 0.9}}'
    monkeypatch.setenv("SIDENOTE_OPERATING_POINTS", as_json)
    assert load_settings(None).operating_points == wanted


def test_weights_of_wikis_are_numbers_by_host(monkeypatch: pytest.MonkeyPatch) -> None:
    name = "SIDENOTE_WIKI_WEIGHTS"
    monkeypatch.setenv(name, "en.wikipedia.org=2, de.wikipedia.org=0.5")
    assert load_settings(None).weights == {
        "en.wikipedia.org": 2.0,
        "de.wikipedia.org": 0.5,
    }

    for wrong in ("en.wikipedia.org", "en.wikipedia.org=0", "=2", "a=nan", "a=inf"):
        monkeypatch.setenv(name, wrong)
        with pytest.raises(SettingsError, match=r"is not a wiki with a weight"):
            load_settings(None)


def test_no_section_of_the_settings_takes_the_checks_of_another() -> None:
    named = [
        name
        for section in Settings.__bases__
        if issubclass(section, BaseModel)
        for name in vars(section)["__pydantic_decorators__"].field_validators
    ]

    twice = {name for name in named if named.count(name) > 1}
    assert not twice, "of two with one name, pydantic runs the first section's alone"


def test_a_table_of_the_file_holds_settings_by_their_first_words(
    tmp_path: Path,
) -> None:
    file = settings_file(
        tmp_path,
        'bot_login = "B@run"\n[bot]\naccount = "B"\n'
        '[language_model]\naddress = "http://127.0.0.1:1/v1"\nname = "m"\n',
    )

    settings = load_settings(file)

    assert (settings.bot_account, settings.bot_login) == ("B", "B@run")
    assert settings.language_model_name == "m"


def test_a_key_in_a_table_is_no_safer_than_elsewhere(tmp_path: Path) -> None:
    file = settings_file(tmp_path, '[bot]\npassword = "secret"\n')

    with pytest.raises(SettingsError, match=r"bot_password in .* does not belong"):
        load_settings(file)


def test_what_was_a_setting_is_left_out_with_a_note(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("SIDENOTE_OPT_IN_SWEEP_S", "60")
    file = settings_file(
        tmp_path, "source_redirects = 9\nsettle_s = 10\ndoubt_to = 1\n"
    )

    settings = load_settings(file)

    err = capsys.readouterr().err
    assert f"source_redirects in {file} is no longer a setting" in err
    assert f"doubt_to in {file} is no longer a setting" in err
    assert "opt_in_sweep_s in the environment is no longer a setting" in err
    assert (settings.source_redirects, settings.opt_in_sweep_s) == (5, 120.0)


def test_there_are_few_enough_settings_to_choose_from() -> None:
    assert len(Settings.model_fields) <= 97


@pytest.mark.parametrize(
    "written",
    [
        '["127.0.0.1:8080", "[::1]:81"]',
        "127.0.0.1:8080, [::1]:81",
        "[::1]:81 127.0.0.1:8080",
    ],
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


def test_each_client_has_its_id_and_perhaps_a_secret(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SIDENOTE_PANEL_ADDRESS", "https://panel.example/")
    monkeypatch.setenv("SIDENOTE_OAUTH_CLIENTS", "EN.example=01ab, de.example=02cd")
    monkeypatch.setenv("SIDENOTE_OAUTH_CLIENT_SECRETS", "de.example=a=b")

    settings = load_settings(None)

    assert settings.panel_address == "https://panel.example"
    assert settings.clients() == {
        "en.example": ("01ab", ""),
        "de.example": ("02cd", "a=b"),
    }
    assert "a=b" not in repr(settings)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("PANEL_ADDRESS", "http://panel.example", "https://"),
        ("PANEL_ADDRESS", "https://a:b@panel.example", "without a name"),
        ("PANEL_ADDRESS", "https://panel.example?x=1", "https://"),
        ("PANEL_ADDRESS", "panel.example", "https://"),
        ("OAUTH_CLIENTS", "en.example", "write pairs"),
        ("OAUTH_CLIENTS", "=abc", "write pairs"),
    ],
)
def test_what_would_not_work_is_refused_with_the_remedy(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, message: str
) -> None:
    monkeypatch.setenv(f"SIDENOTE_{name}", value)

    with pytest.raises(SettingsError, match=message):
        load_settings(None)


def test_a_secret_that_is_written_wrongly_is_not_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SIDENOTE_OAUTH_CLIENT_SECRETS", "very-secret-value")

    with pytest.raises(SettingsError) as caught:
        load_settings(None)

    assert "very-secret-value" not in str(caught.value)


def test_a_secret_does_not_stand_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "sidenote.toml"
    file.write_text('oauth_client_secrets = "en.example=x"\n', "utf-8")

    with pytest.raises(SettingsError, match="does not belong in a file"):
        load_settings(file)


@pytest.mark.parametrize(
    "secret",
    [
        name
        for name, field in Settings.model_fields.items()
        if field.annotation is SecretStr
    ],
)
def test_a_secret_is_never_taken_from_a_file_nor_shown(
    secret: str, tmp_path: Path
) -> None:
    file = settings_file(tmp_path, f"{secret} = 'hunter2'")

    with pytest.raises(SettingsError, match="does not belong in a file") as caught:
        load_settings(file)

    assert f"SIDENOTE_{secret.upper()}" in str(caught.value)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("mysql+pymysql://me:hunter2@h/d", "mysql+pymysql://me:***@h/d"),
        ("mysql://me:a/hunter2@h/d", "mysql://me:***@h/d"),
        ("mysql://me:a#hunter2@h/d", "mysql://me:***@h/d"),
        ("mysql://me:a?hunter2@h/d", "mysql://me:***@h/d"),
        ("mysql://me:[hunter2@h/d?charset=x", "mysql://me:***@h/d?***"),
        ("mysql://me@h/d?password=hunter2", "mysql://me@h/d?***"),
        ("mysql://me:a@hunter2@h/d", "mysql://me:***@h/d"),
        ("sqlite:////home/me@h/d.sqlite", "sqlite:////home/me@h/d.sqlite"),
        ("https://me:hunter2@h:9200/", "https://***@h:9200/"),
        ("https://hunter2@h/", "https://***@h/"),
        ("https://h/@me.rss", "https://h/@me.rss"),
        (("https://h/feed?key=hunter2",), "('https://h/feed?***',)"),
        (("a=https://me:hunter2@h/",), "('a=https://***@h/',)"),
        (5, "5"),
    ],
)
def test_what_an_address_may_hide_is_not_shown(value: object, message: str) -> None:
    assert shown(value) == message


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DATABASE", "mysql://me:a@hunter2@h/d"),
        ("OPENSEARCH_ADDRESS", "https://me:hunter2@h:9200"),
        ("OPENSEARCH_ADDRESS", "https://h:9200/?key=hunter2"),
        ("DRAFT_MODEL_ADDRESS", "https://me:hunter2@h/v1"),
        ("ARCHIVE_SERVICE", "https://me:hunter2@h/"),
        ("STREAM", "https://me:hunter2@h/v2/stream/"),
        ("PANEL_ADDRESS", "https://me:hunter2@h"),
        ("INTERNAL_ADDRESSES", "https://me:hunter2@h/"),
    ],
)
def test_a_secret_in_an_address_that_takes_none_is_refused_and_not_shown(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"SIDENOTE_{name}", value)

    with pytest.raises(SettingsError, match=f"SIDENOTE_{name}") as caught:
        load_settings(None)

    assert "hunter2" not in str(caught.value)


def test_the_password_in_a_wrong_address_of_a_database_is_not_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SIDENOTE_DATABASE", "postgresql://me:hunter2@h/d")

    with pytest.raises(SettingsError, match="SIDENOTE_DATABASE: give") as caught:
        load_settings(None)

    assert "hunter2" not in str(caught.value)
