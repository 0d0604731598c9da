"""What strangers ask for: the suggestions of a page, and that a decision be kept."""

from urllib.parse import quote

from tests.bot.store.runs import TITLE, WIKI
from tests.gadget.api.conftest import FIRST

PAGE = f"/api/v1/suggestions?wiki={WIKI}&title={quote(TITLE)}"
KEY = {"Idempotency-Key": "a-key-of-an-attack"}
ACCEPT = {"kind": "accept", "wiki": WIKI, "identity": FIRST.identity}
