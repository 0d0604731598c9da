"""Checks a whole wiki at once: every citation of a dump, a folder or a list of pages.

The input is cut into portions that do not depend on how many workers there are. Each
portion becomes one shard of the output: Parquet files and a note with its counts. They are
written under temporary names and then renamed, the note last. So a sweep that is killed at
any moment continues where it stopped, and its figures are the same however often that
happens. Nothing is fetched: claims are scored with the sources that are available, and the
others are ranked by what can be seen without a source.

Start with `run`. `dump_layout`, `dump_pages` and `child` read a dump, `portions` cuts it,
`dask_workers` shares the work, `rows` and `tables` make rows of pages, `shards` writes
them, `summary` adds them up.
"""
