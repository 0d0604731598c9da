"""Search services on loopback that behave like the real ones.

`serving.SearchServer` offers all of them under one address, over the same few pages.
They are strict about requests, and can fail in every way that the real ones are known to.
"""
