"""Finds out what changed on the wikis: reads their feed and remembers its position.

`stream` follows the feed, `event_stream` and `harvest` turn its bytes into changes, and
`queue` says what each leads to. What the feed did not deliver, `backfill` asks for.
"""
