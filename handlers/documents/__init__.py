"""What a document that was found says about itself, before it is judged. Pure.

Takes a source that was read, and returns its usable sentences, its own date, its
language, whether it copies the article, and whether it addresses a program. Start with
`document`.
"""
