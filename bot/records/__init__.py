"""What the processes tell each other through the database, as plain values.

A page to check, a post, a watch, a person's account, a draft that was asked for. Nothing
here reads or writes anything; `bot.store` keeps these values, all others pass them on.
"""
