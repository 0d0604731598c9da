"""A wiki's own feed of recent changes, as events of Wikimedia's stream.

MediaWiki sends each change as JSON in a UDP datagram if configured so:
`$wgRCFeeds['sidenote'] = [ 'uri' => 'udp://127.0.0.1:PORT', 'formatter' =>
'JSONRCFeedFormatter' ];`. On loopback none is lost, and none comes from outside.
"""

import asyncio
import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote, urlsplit

STREAM = "mediawiki.recentchange"
_SCHEMA = "/mediawiki/recentchange/1.0.0"
_IN_PATHS = ":/()',!*@;"
_MAX_DATAGRAM_BYTES = 65_536

Event = Mapping[str, Any]


def event_of(line: Mapping[str, Any], event_id: str, request_id: str) -> Event:
    """Return a line of JSONRCFeedFormatter as an event of `mediawiki.recentchange`.

    Its `meta.domain` has the port of the wiki, which distinguishes wikis on loopback.

    Raises:
        KeyError, TypeError, ValueError: it is not one.
    """
    at = datetime.fromtimestamp(line["timestamp"], UTC)
    title = str(line["title"]).replace(" ", "_")
    url = f"{line['server_url']}/wiki/{quote(title, safe=_IN_PATHS)}"
    event = {
        "$schema": _SCHEMA,
        "meta": {
            "uri": url,
            "request_id": request_id,
            "id": event_id,
            "dt": at.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "domain": urlsplit(line["server_url"]).netloc,
            "stream": STREAM,
        },
        **line,
    }
    event.setdefault("title_url", url)
    event.setdefault("parsedcomment", line.get("comment", ""))
    revision = line.get("revision")
    if revision:
        address = f"{line['server_url']}{line['server_script_path']}/index.php"
        versions = f"diff={revision['new']}&oldid={revision['old'] or 0}"
        event.setdefault("notify_url", f"{address}?{versions}")
    return event


class RecentChanges(asyncio.DatagramProtocol):
    """Receives the datagrams of wikis.

    Args:
        publish: is called with each change as an event.
        new_id: makes a unique id.
    """

    def __init__(
        self, publish: Callable[[Event], object], new_id: Callable[[], str]
    ) -> None:
        self._publish = publish
        self._new_id = new_id
        self.received = 0
        self.unreadable = 0

    def datagram_received(self, data: bytes, addr: tuple[str | Any, int]) -> None:  # noqa: ARG002 - asyncio's form
        """Publish one change."""
        self.received += 1
        try:
            line = json.loads(data[:_MAX_DATAGRAM_BYTES])
            event = event_of(line, self._new_id(), self._new_id())
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
            self.unreadable += 1
            return
        self._publish(event)
