"""For researchers: evaluations, training, and the check of a whole wiki.

Nothing of the product imports it; its commands are found by name (`bot.app.cli`).
"""
