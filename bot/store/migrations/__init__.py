"""Numbered changes of the tables, each applied once and in order.

`versions` has a file for each change, `steps` what several share; `env` is Alembic's entry.
`bot.store.upgrade` runs them.
"""
