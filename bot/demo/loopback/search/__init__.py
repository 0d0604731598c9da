"""Search services on loopback, which ask for and answer what the real ones do.

For tests and demonstrations: `serving.SearchServer` offers all of them under one
address, over the same few pages. They are strict about what a request must have, and
fail in each way that the real ones are known to.
"""
