"""What the log says of requests that are none: that there was one, and nothing of it.

The library would write what it could not read, which may be somebody's token, and the
address that it came from, and a page of its own insides for each.
"""

import logging

import structlog


class BrokenRequests(logging.Logger):
    """Takes what the library has to say, and passes on the kind of its error."""

    def __init__(self) -> None:
        super().__init__("bot.serving", logging.INFO)

    def handle(self, record: logging.LogRecord) -> None:
        """Note one."""
        kind = record.exc_info[0] if record.exc_info else None
        structlog.get_logger().info(
            "request could not be read", kind=kind.__name__ if kind else "unknown"
        )
