"""Finds out what changed on the wikis: reads their feed and remembers its position.

The feed's bytes go in; checks and plans in the store come out. `stream` follows the feed:
read it first. `event_stream` and `harvest` turn its bytes into events and these into
changes, in the forms of `change_events`; `queue` says what each leads to. What the feed did
not deliver, `backfill` asks for; `pending` asks a wiki for edits that wait for review.
"""
