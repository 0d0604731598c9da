"""Builds a MediaWiki once, keeps it packed, and serves a copy on loopback.

Debian's package is used as it lies, with a database of its own (SQLite) and
settings of its own; nothing of the system is changed. The packed wiki is kept
under `.cache/`, by MediaWiki's version and the contents of this folder.
"""

import hashlib
import os
import re
import socket
import sqlite3
import tarfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from tests.rig.service import (
    Service,
    absent,
    give_to_server,
    program,
    run_once,
    server_folder,
)
from tests.rig.wiki.pages import DELETED, HIDDEN, dump

_CODE = Path("/usr/share/mediawiki")
_HERE = Path(__file__).parent
_CACHE = Path(__file__).parents[3] / ".cache"
_DATABASE = Path("sqlite/wiki.sqlite")
_PREFIXES = {0: "", 1: "Talk:", 8: "MediaWiki:"}


@dataclass(frozen=True)
class Wiki:
    """A wiki that is being served."""

    host: str  # such as "127.0.0.1:40123"
    revisions: dict[str, tuple[int, ...]]  # of each page (also deleted), oldest first


@contextmanager
def serve_wiki() -> Iterator[Wiki]:
    """Serve a fresh copy of the test wiki; skip the test where there is none."""
    if not (_CODE / "api.php").exists():
        absent("MediaWiki")
    folder = server_folder("wiki")
    with tarfile.open(_packed(), "r") as packed:
        packed.extractall(folder, filter="data")
    revisions = _revisions(folder / _DATABASE)
    (folder / "www").mkdir()
    give_to_server(folder, *folder.rglob("*"))
    (folder / "www" / "w").symlink_to(_CODE)
    port = _free_port()
    service = Service(
        [program("php"), "-S", f"127.0.0.1:{port}", "-t", "www", "router.php"],
        folder,
        {**_configured(folder), "RIG_PORT": str(port), "PHP_CLI_SERVER_WORKERS": "2"},
    )
    try:
        service.wait_until(lambda: _answers(port))
        yield Wiki(f"127.0.0.1:{port}", revisions)
    finally:
        service.stop()


def _packed() -> Path:
    """Return the packed wiki, built now if there is none of this version."""
    path = _CACHE / f"mediawiki-{_version()}.tar"
    if not path.exists():
        _CACHE.mkdir(exist_ok=True)
        unfinished = path.with_suffix(f".{os.getpid()}")
        folder = server_folder("build")
        _build(folder)
        with tarfile.open(unfinished, "w") as packed:
            for kept in (
                "LocalSettings.php",
                "rig.php",
                "router.php",
                "sqlite",
                "cache",
            ):
                packed.add(folder / kept, kept, filter=_nobodys)
        run_once(["rm", "-rf", str(folder)], folder)
        unfinished.replace(path)
    return path


def _version() -> str:
    code = (_CODE / "includes" / "Defines.php").read_text("utf-8")
    found = re.search(r"'MW_VERSION', '([^']+)'", code)
    digest = hashlib.sha256()
    for file in sorted([*_HERE.glob("*.php"), *_HERE.glob("*.py")]):
        digest.update(file.read_bytes())
    return f"{found[1] if found else 'unknown'}-{digest.hexdigest()[:12]}"


def _build(folder: Path) -> None:
    for made in ("cache", "sqlite"):
        (folder / made).mkdir()
        give_to_server(folder / made)
    for name, source in (("rig.php", "settings.php"), ("router.php", "router.php")):
        (folder / name).write_bytes((_HERE / source).read_bytes())
    _install(folder)
    _maintain(folder, "update", "--quick")  # tables of extensions
    seed = folder / "seed.xml"
    seed.write_text(dump(), "utf-8")
    seed.chmod(0o644)
    _maintain(folder, "importDump", "--username-prefix=", str(seed))
    (folder / "deleted.txt").write_text(f"{DELETED}\n", "utf-8")
    (folder / "deleted.txt").chmod(0o644)
    _hide_a_revision(folder / _DATABASE)
    _maintain(folder, "deleteBatch", "-r", "Not needed", str(folder / "deleted.txt"))


def _install(folder: Path) -> None:
    script = str(_CODE / "maintenance" / "install.php")
    options = {
        "confpath": str(folder),
        "dbtype": "sqlite",
        "dbpath": str(folder / "sqlite"),
        "dbname": "wiki",
        "scriptpath": "/w",
        "server": "http://127.0.0.1",
        "skins": "Vector",
        "pass": "for loopback only",
    }
    given = [f"--{name}={value}" for name, value in options.items()]
    run_once([program("php"), script, *given, "Rig", "Admin"], folder)
    settings = folder / "LocalSettings.php"
    movable = settings.read_text("utf-8").replace(
        f'"{folder}/sqlite"', '__DIR__ . "/sqlite"'
    )
    settings.write_text(f"{movable}\nrequire __DIR__ . '/rig.php';\n", "utf-8")


def _maintain(folder: Path, script: str, *arguments: str) -> None:
    path = str(_CODE / "maintenance" / f"{script}.php")
    run_once([program("php"), path, *arguments], folder, _configured(folder))


def _configured(folder: Path) -> dict[str, str]:
    return {"MW_CONFIG_FILE": str(folder / "LocalSettings.php")}


def _hide_a_revision(database: Path) -> None:
    title, number = HIDDEN
    hidden = _revisions(database)[title][number]
    with closing(sqlite3.connect(database)) as wiki, wiki:
        wiki.execute("UPDATE revision SET rev_deleted = 1 WHERE rev_id = ?", (hidden,))


def _revisions(database: Path) -> dict[str, tuple[int, ...]]:
    found: dict[str, list[int]] = {}
    with closing(sqlite3.connect(database)) as wiki:
        rows = wiki.execute(
            "SELECT page_namespace, CAST(page_title AS TEXT), rev_id"
            " FROM revision JOIN page ON page_id = rev_page"
            " UNION SELECT ar_namespace, CAST(ar_title AS TEXT), ar_rev_id FROM archive"
            " ORDER BY 3"
        )
        for namespace, title, revision in rows:
            name = _PREFIXES[namespace] + title.replace("_", " ")
            found.setdefault(name, []).append(revision)
    return {title: tuple(revisions) for title, revisions in found.items()}


def _nobodys(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


def _answers(port: int) -> bool:
    address = (
        f"http://127.0.0.1:{port}/w/api.php?action=query&meta=siteinfo&format=json"
    )
    try:
        with urlopen(address, timeout=60) as answer:
            return b"MediaWiki" in answer.read()
    except URLError:
        return False
