"""How the program is doing, for people and for Prometheus. Pure.

The database's figures (`bot.store.status`) and the settings go in; a page, plain text, JSON
and metrics come out. `situation` is all that is known: read it first. `reasons` says what is
wrong, `view` puts both into facts and tables, `render` lays these out, `metrics` writes
Prometheus's format. All are built from the same views, so they can never disagree.
"""
