"""For researchers: evaluations, training, and the check of a whole wiki.

The product imports none of it; its commands are found by name (`bot.app.cli`). Anything
that cannot be read or used raises a `PermanentError` that names the file and says what
to do; a wiki, scheduler or disk that may recover raises a `TemporaryError`. The
commands show both.
"""
