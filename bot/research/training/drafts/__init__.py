"""Makes a model that writes drafts, from a stronger model's (TunedRR, WikiGenBench §4).

`collecting` asks the stronger model for a draft on an event and keeps what its chunks
bear out, `records` keeps such examples and tells them as conversations, `preparing`
makes the set, and `measuring` tells how a model that was fitted to it
(`bot.research.training.chat`) writes. Only `sidenote train draft` comes here; a model that was
made so is named in the settings (`draft_model`).
"""
