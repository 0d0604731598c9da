"""A small web server, for the operator: status, metrics, reports, and a dry run's pages.

It only reads, and says nothing that is secret; but what it says is the operator's
business, so it listens on loopback unless told otherwise. Start with `server`.
"""
