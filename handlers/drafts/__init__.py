"""WikiGenBench: related documents become an outline, then sections that cite each sentence.

The embedded engine quotes and arranges; only a language model writes words of its own,
and nothing of it stays that its sources do not support. Pure.
"""
