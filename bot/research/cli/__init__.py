"""The commands of researchers: `evaluate`, `benchmark`, `judgements`, `train`, `sweep`.

Each reads its options and hands them to a function of the rooms beside this one. Start
with `evaluate`; `updates`, `wiki_live` and `wikigen` add to it, `measurement` has what all
evaluations do before and after, and `options` what several commands share.
"""
