"""Measures update discovery and the editor of updates: the questions of WiNELL.

Start with `discovery`: it hides sentences of WikiGenBench's articles (`hidden`) and measures
whether they are found again. `history` replays weeks of real pages against what people
added (`human_edits`, `coverage`); `edits` measures what an edit keeps, `paragraphs` on real
ones; `figures` has the intervals.
"""
