"""Kinds of articles with their sections: tables, one module a family."""

from handlers.drafts.embedded.kinds.telling import (
    Expected,
    Kind,
    expected,
    kind_of,
)

__all__ = ["Expected", "Kind", "expected", "kind_of"]
