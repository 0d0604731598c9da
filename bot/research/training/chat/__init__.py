"""Fine-tunes chat models: what training an editor and training a writer of drafts share.

`talking` writes examples as conversations, `files` keeps them, `fitting` learns their
answers. Whatever is learnt, the question is the one that the program itself asks.
"""
