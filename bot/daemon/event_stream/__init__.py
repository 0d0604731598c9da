"""Reads server-sent events: the bytes, the events in them, and the connection."""
