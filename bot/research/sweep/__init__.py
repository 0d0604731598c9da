"""Checks a whole wiki at once: every citation of a dump, a folder or a list of pages.

The input is cut into portions that do not depend on how many workers there are. Each
portion becomes one shard of the output: Parquet files and a note of what was counted,
written beside their place and renamed, the note last. So a sweep that is killed at any
moment continues where it stood, and its figures are the same however often that happens.

Nothing is fetched: claims are scored by the sources that are at hand, and the others
put into an order by what can be seen without a source.
"""
