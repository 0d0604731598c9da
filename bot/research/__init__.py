"""For researchers: evaluations, training, and the check of a whole wiki.

Nothing of the product imports it; its commands are found by name (`bot.app.cli`). What
cannot be read or used is a `PermanentError` that names the file and what to do; a wiki,
scheduler or disk that may be back later is a `TemporaryError`. The commands show both.
"""
