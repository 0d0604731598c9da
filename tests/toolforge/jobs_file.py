"""What Toolforge takes for a job, as its jobs-api says it (July 2026), in our words.

Stricter where its clients are laxer: a key that they would only warn of is refused.
"""

import re
import shlex
from collections.abc import Callable, Mapping
from typing import Any

_NAME = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_NAME_CHARS = 52
_IMAGE = re.compile(r"tool-[a-z0-9-]+/[a-z0-9-]+:latest")
_MEMORY = re.compile(r"(\d+)(Mi|Gi)")
_CPU = re.compile(r"\d+(\.\d+)?|\d+m")
_MACROS = {"@hourly", "@daily", "@weekly", "@monthly", "@yearly"}
_SHELL = set("&|;<>$`(){}[]*?!\n")
_COMMON = {"name", "image", "command", "mem", "cpu", "emails", "mount"}
_CONTINUOUS = {"continuous", "replicas", "health-check-script", "port"}
_SCHEDULED = {"schedule", "timeout", "retry"}
_QUOTA_MIB = 6 * 1024  # of one job


def _is_script(value: Any) -> bool:
    """Tell whether a check runs without a shell: `launcher`, then its words."""
    return (
        isinstance(value, str) and not set(value) & _SHELL and bool(shlex.split(value))
    )


def _is_cron(value: Any) -> bool:
    fields = str(value).split()
    one = re.compile(r"\*(/\d+)?|\d+(-\d+)?(,\d+(-\d+)?)*")
    return value in _MACROS or (len(fields) == 5 and all(map(one.fullmatch, fields)))


def _is_between(least: int, most: int) -> Callable[[Any], bool]:
    return lambda value: type(value) is int and least <= value <= most


_RULES: Mapping[str, Callable[[Any], bool]] = {
    "name": lambda value: bool(_NAME.fullmatch(value)) and len(value) <= _NAME_CHARS,
    "image": lambda value: bool(_IMAGE.fullmatch(value)),
    "command": lambda value: isinstance(value, str) and bool(value),
    "mem": lambda value: 0 < mebibytes(value) <= _QUOTA_MIB,
    "cpu": lambda value: isinstance(value, str) and bool(_CPU.fullmatch(value)),
    "emails": lambda value: value in {"none", "all", "onfinish", "onfailure"},
    "mount": lambda value: value in {"none", "all"},
    "continuous": lambda value: value is True,
    "replicas": _is_between(0, 100),
    "health-check-script": _is_script,
    "port": _is_between(1, 65_535),
    "schedule": _is_cron,
    "timeout": _is_between(0, 10**6),
    "retry": _is_between(0, 5),
}


def mebibytes(memory: str) -> int:
    """Return how much memory that is."""
    found = _MEMORY.fullmatch(memory)
    assert found, f"{memory} is no amount of memory"
    return int(found[1]) * (1024 if found[2] == "Gi" else 1)


def refused(job: Mapping[str, Any]) -> list[str]:
    """Return what Toolforge would not take of a job."""
    kind = _CONTINUOUS if "continuous" in job else _SCHEDULED
    wrong = [f"{key}: not of this kind" for key in job if key not in _COMMON | kind]
    wrong += [
        f"{key}: missing" for key in ("name", "image", "command") if key not in job
    ]
    if "schedule" not in job and "continuous" not in job:
        wrong.append("neither continuous nor scheduled")
    wrong += [
        f"{key}: {value!r}"
        for key, value in job.items()
        if key in _RULES and not _RULES[key](value)
    ]
    return wrong
