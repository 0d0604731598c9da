"""How the program is doing, for people and for Prometheus. Pure.

The database's figures (`bot.store.status`) and the settings go in; a page, plain text,
JSON and metrics come out. All are built from the same views, so they can never
disagree.
"""
