"""A small web server, for the operator: status, metrics, reports, and a dry run's pages.

It only reads, and shows no secrets; but its pages are meant for the operator, so it listens
on loopback unless told otherwise. Start with `server`; `guard` surrounds every answer,
`connections` limits clients.
"""
