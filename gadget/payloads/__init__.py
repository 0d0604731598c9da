"""What the panel and its backend exchange, as JSON.

These shapes are the contract: the API's document is made from them, and the script reads
them. Values in, values out. `fields` says how every one behaves, `requests` is what the
panel sends, `cards` and `answers` what it gets.
"""
