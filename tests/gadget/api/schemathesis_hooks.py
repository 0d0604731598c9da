"""Loaded by schemathesis: half of the cards that are named in a body are there."""

import os
import re
from typing import Any

import schemathesis

_IDENTITY = re.compile(r"[0-9A-Za-z_-]{1,64}")


@schemathesis.hook
def before_call(
    ctx: schemathesis.HookContext, case: schemathesis.Case[Any], **_: object
) -> None:
    """Name a card that is known, where the name could be one."""
    del ctx
    body = case.body
    if not isinstance(body, dict):
        return
    named = body.get("identity")
    if not isinstance(named, str) or not _IDENTITY.fullmatch(named):
        return
    if len(named) % 2:
        case.body = {**body, "identity": os.environ["KNOWN_IDENTITY"]}
