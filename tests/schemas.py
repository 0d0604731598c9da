"""The JSON Schemas (2020-12) that ship, of what the commands write."""

import json
from importlib.resources import files
from typing import Any


def read_schema(name: str) -> Any:
    return json.loads((files("bot.report") / name).read_text("utf-8"))
