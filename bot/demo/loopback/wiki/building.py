"""Builds a MediaWiki once and keeps it packed until something it is built from changes.

The code is used where it is, with a separate database (SQLite) and separate settings;
nothing on the system is changed. Building takes seconds, unpacking a fraction of one.
"""

import hashlib
import os
import shutil
import sqlite3
import tarfile
from contextlib import closing
from pathlib import Path

from bot.demo.loopback.service import give_to_server, program, run_once, server_folder
from bot.demo.loopback.wiki.code import Code
from bot.demo.loopback.wiki.seeds import NAMESPACES, SeedAccount, Seeds, dump

ADMIN, ADMIN_PASSWORD = "Admin", "for loopback only"
APP = "sidenote"  # bot passwords are for the login NAME@sidenote
SETTINGS, EXTRA, ROUTER = "LocalSettings.php", "extra.php", "router.php"
DATABASES = Path("sqlite")
MAIN = DATABASES / "wiki.sqlite"
_HERE = Path(__file__).parent
_KEPT = (SETTINGS, EXTRA, ROUTER, "sqlite", "cache")
_GRANTS = (
    "basic",
    "highvolume",
    "editpage",
    "createeditmovepage",
    "editmywatchlist",
    "viewmywatchlist",
)
_PREFIXES = {number: name and f"{name}:" for name, number in NAMESPACES.items()}


def packed_wiki(code: Code, seeds: Seeds, cache: Path) -> Path:
    """Return the file of a packed wiki, built now if it is not in `cache`.

    Raises:
        PermanentError: PHP is not installed.
        ServiceFailed: MediaWiki could not be set up.
    """
    path = cache / f"mediawiki-{code.version}-{_digest(seeds)}.tar"
    if not path.exists():
        cache.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(f".{os.getpid()}")
        folder = server_folder("build")
        try:
            _build(folder, code, seeds)
            with tarfile.open(unfinished, "w") as packed:
                for kept in _KEPT:
                    packed.add(folder / kept, kept, filter=_nobodys)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        unfinished.replace(path)
        _forget_older(path, cache)
    return path


def revisions_in(database: Path) -> dict[str, tuple[int, ...]]:
    """Return the revisions of each page, also of deleted ones, oldest first."""
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


def configured(folder: Path) -> dict[str, str]:
    """Return the environment variables that tell MediaWiki which wiki it is."""
    return {"MW_CONFIG_FILE": str(folder / SETTINGS)}


def _digest(seeds: Seeds) -> str:
    digest = hashlib.sha256(repr(seeds).encode())
    for file in (*sorted(_HERE.glob("*.php")), Path(__file__), _HERE / "seeds.py"):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:12]


def _forget_older(path: Path, cache: Path, *, kept: int = 6) -> None:
    """Remove wikis that were built long ago, so that the cache stays small."""
    others = [other for other in cache.glob("mediawiki-*.tar") if other != path]
    others.sort(key=lambda other: other.stat().st_mtime, reverse=True)
    for other in others[kept - 1 :]:
        other.unlink(missing_ok=True)


def _build(folder: Path, code: Code, seeds: Seeds) -> None:
    for made in ("cache", "sqlite"):
        (folder / made).mkdir()
        give_to_server(folder / made)
    for name, source in ((EXTRA, "settings.php"), (ROUTER, "router.php")):
        (folder / name).write_bytes((_HERE / source).read_bytes())
    _install(folder, code)
    _maintain(folder, code, "update", "--quick")  # tables of extensions
    for account in seeds.accounts:
        _make_account(folder, code, account)
    given = _given(folder, "seed.xml", dump(seeds.pages))
    _maintain(folder, code, "importDump", "--username-prefix=", given)
    _maintain(folder, code, "runJobs")
    _hide_revisions(folder / MAIN, seeds.hidden)
    if seeds.deleted:
        given = _given(folder, "deleted.txt", "".join(f"{t}\n" for t in seeds.deleted))
        _maintain(folder, code, "deleteBatch", "-r", "Not needed", given)


def _install(folder: Path, code: Code) -> None:
    script = str(code.folder / "maintenance" / "install.php")
    options = {
        "confpath": str(folder),
        "dbtype": "sqlite",
        "dbpath": str(folder / DATABASES),
        "dbname": "wiki",
        "scriptpath": "/w",
        "server": "http://127.0.0.1",
        "skins": "Vector,MinervaNeue,MonoBook,Timeless",
        "pass": ADMIN_PASSWORD,
    }
    given = [f"--{name}={value}" for name, value in options.items()]
    run_once([program("php"), script, *given, "Sidenote", ADMIN], folder)
    settings = folder / SETTINGS
    movable = settings.read_text("utf-8").replace(
        f'"{folder}/sqlite"', '__DIR__ . "/sqlite"'
    )
    settings.write_text(f"{movable}\nrequire __DIR__ . '/{EXTRA}';\n", "utf-8")


def _make_account(folder: Path, code: Code, account: SeedAccount) -> None:
    name = account.name
    groups = [f"--custom-groups={','.join(account.groups)}"] if account.groups else []
    if name != ADMIN:  # accounts that exist from the beginning
        _maintain(folder, code, "createAndPromote", *groups, name, account.password)
    if account.token:
        granted = ",".join((*_GRANTS, *account.grants))
        grants = ["--appid", APP, "--grants", granted]
        _maintain(folder, code, "createBotPassword", *grants, name, account.token)


def _maintain(folder: Path, code: Code, script: str, *arguments: str) -> None:
    path = str(code.folder / "maintenance" / f"{script}.php")
    env = {**configured(folder), "TEST_WIKI_TALK": "1"}  # its tables are made, too
    run_once([program("php"), path, *arguments], folder, env)


def _given(folder: Path, name: str, text: str) -> str:
    """Write a file for a script to read; return its path."""
    path = folder / name
    path.write_text(text, "utf-8")
    path.chmod(0o644)
    return str(path)


def _hide_revisions(database: Path, hidden: tuple[tuple[str, int], ...]) -> None:
    revisions = revisions_in(database)
    with closing(sqlite3.connect(database)) as wiki, wiki:
        for title, number in hidden:
            wiki.execute(
                "UPDATE revision SET rev_deleted = 1 WHERE rev_id = ?",
                (revisions[title][number],),
            )


def _nobodys(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member
