"""What the demo and tests run on.

`articles`, `sources` and `events.jsonl.gz` are recorded pages, the sources that they cite,
and edits; `judged` and `languages` are further pages, with judgements and in other
languages. `loopback` has servers that stand in for Wikimedia's.
"""
