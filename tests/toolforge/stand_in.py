"""Stands in for the command line of Toolforge: it takes what that takes, and no more.

Run as `toolforge` with a folder for what it knows in STAND_IN. What a job does is up to
`fails` there, a list of commands that do not work. It writes each call down.
"""

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

import yaml

from tests.toolforge.jobs_file import refused

_FOLDER = Path(os.environ.get("STAND_IN", os.devnull))


def _known() -> dict[str, Any]:
    file = _FOLDER / "known.json"
    empty: dict[str, Any] = {"images": {}, "jobs": {}, "web": None, "once": []}
    return json.loads(file.read_text()) if file.exists() else empty


def _keep(known: dict[str, Any]) -> None:
    (_FOLDER / "known.json").write_text(json.dumps(known))


def _works(command: str) -> bool:
    file = _FOLDER / "fails"
    return command not in (file.read_text().split() if file.exists() else [])


def grammar() -> argparse.ArgumentParser:
    """Return what reads a command line as Toolforge does."""
    toolforge = argparse.ArgumentParser(prog="toolforge", allow_abbrev=False)
    parts = toolforge.add_subparsers(dest="part", required=True)
    build = parts.add_parser("build").add_subparsers(dest="verb", required=True)
    start = build.add_parser("start", allow_abbrev=False)
    start.add_argument("source")
    start.add_argument("--ref")
    start.add_argument("--image-name")
    jobs = parts.add_parser("jobs").add_subparsers(dest="verb", required=True)
    run = jobs.add_parser("run", allow_abbrev=False)
    run.add_argument("name")
    for option in ("command", "image"):
        run.add_argument(f"--{option}", required=True)
    for option in ("mem", "cpu"):
        run.add_argument(f"--{option}")
    run.add_argument("--mount", choices=["none", "all"])
    run.add_argument("--wait", type=int, nargs="?", const=600)
    for verb in ("delete", "logs", "restart", "show"):
        jobs.add_parser(verb).add_argument("name")
    jobs.add_parser("load").add_argument("file", type=Path)
    jobs.add_parser("list")
    web = parts.add_parser("webservice").add_subparsers(dest="verb", required=True)
    web.add_parser("stop")
    for verb in ("restart", "status", "logs"):
        web.add_parser(verb)
    web.add_parser("start").add_argument("--template", type=Path, required=True)
    variables = parts.add_parser("envvars").add_subparsers(dest="verb", required=True)
    create = variables.add_parser("create")
    create.add_argument("name")
    create.add_argument("value", nargs="?")
    variables.add_parser("list").add_argument("--show-values", action="store_true")
    variables.add_parser("delete").add_argument("name")
    return toolforge


def _build_start(options: argparse.Namespace, known: dict[str, Any]) -> int:
    if not _works("build"):
        return 1
    known["images"][options.image_name] = options.ref
    return 0


def _jobs_run(options: argparse.Namespace, known: dict[str, Any]) -> int:
    image = options.image.split("/")[1].removesuffix(":latest")
    assert image in known["images"], f"there is no image {options.image}"
    assert len([one for one in known["once"] if one[0] == options.name]) == 0, (
        "is there"
    )
    known["once"].append(
        [options.name, options.command, known["images"][image], options.mount]
    )
    return 0 if _works(options.command) else 1


def _jobs_load(options: argparse.Namespace, known: dict[str, Any]) -> int:
    for job in yaml.safe_load(options.file.read_text()):
        if not _works(f"load-{job['name']}"):
            return 1
        assert not refused(job), refused(job)
        known["jobs"][job["name"]] = job
    return 0


def _jobs_delete(options: argparse.Namespace, known: dict[str, Any]) -> int:
    known["once"] = [one for one in known["once"] if one[0] != options.name]
    known["jobs"].pop(options.name, None)
    return 0


def _web_stop(_given: argparse.Namespace, known: dict[str, Any]) -> int:
    was, known["web"] = known["web"], None
    return 0 if was else 1


def _web_start(options: argparse.Namespace, known: dict[str, Any]) -> int:
    assert known["web"] is None, "it runs"
    known["web"] = yaml.safe_load(options.template.read_text())
    return 0


def main() -> int:
    options = grammar().parse_args()
    with (_FOLDER / "calls").open("a") as calls:
        calls.write(" ".join(sys.argv[1:]) + "\n")
    does = {
        ("build", "start"): _build_start,
        ("jobs", "run"): _jobs_run,
        ("jobs", "load"): _jobs_load,
        ("jobs", "delete"): _jobs_delete,
        ("webservice", "stop"): _web_stop,
        ("webservice", "start"): _web_start,
    }
    known = _known()
    code = does.get((options.part, options.verb), lambda *_: 0)(options, known)
    _keep(known)
    return code


if __name__ == "__main__":
    sys.exit(main())
