"""Servers on this machine that stand in for Wikimedia's, in the demo and in tests.

`wiki` is a real MediaWiki, `service` runs a server of another project, `event_server`
behaves like EventStreams, and `recent_changes` and `replaying` give it events: from a wiki,
or recorded ones.
"""
