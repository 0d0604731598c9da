"""For researchers: evaluations, training, and the check of a whole wiki.

The product imports none of it; its commands (`cli`) are found by name (`bot.app.cli`).
`evaluation` measures, `training` makes the models that ship, `sweep` checks a whole wiki.
Anything that cannot be read or used raises a `PermanentError` that names the file and says
what to do; a wiki, scheduler or disk that may recover raises a `TemporaryError`. The
commands show both.
"""
