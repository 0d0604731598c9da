"""What a document that was found says of itself, before anyone judges it. Pure.

A read source enters; its usable sentences, its own day, its language, whether it copies
the article, and whether it speaks to a program leave. Start with `document`.
"""
