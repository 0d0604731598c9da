"""The plain values that the processes pass to each other through the database.

A page to check, a post, a watch, a person's account, a draft that was asked for.
Nothing here reads or writes anything; `bot.store` keeps these values, everything else
passes them on.
"""
