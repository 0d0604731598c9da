"""Measures update discovery and the editor of updates: the questions of WiNELL.

`discovery` hides sentences of WikiGenBench's articles and measures whether they are
found again, `history` replays some weeks of real pages, `edits` measures what an edit
keeps. Start with `discovery`.
"""
