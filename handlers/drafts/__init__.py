"""WikiGenBench: related documents become an outline, then sections that cite each sentence.

The embedded engine only quotes and arranges. A language model writes its own sentences,
and those that its sources do not support are dropped. Pure.
"""
