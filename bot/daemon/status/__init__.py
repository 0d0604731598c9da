"""How the program is doing, for people and for Prometheus. Pure.

What the database tells (`bot.store.status`) and what is set go in; a page, plain text,
JSON and metrics come out. All are laid out from the same views, so that they can never
tell different stories.
"""
