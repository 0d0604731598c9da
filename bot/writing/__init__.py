"""Writes to wikis: what may be written, once, and what became of it.

`gate` alone makes edits, one look and one write at a time; `publisher` takes posts
from the outbox, hands them to the gate and notes the outcome.
"""
