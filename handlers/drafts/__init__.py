"""WikiGenBench: related documents become an outline, then sections that cite each sentence.

The embedded engine only quotes and arranges. A language model writes its own sentences,
and those that its sources do not support are dropped. Pure. Start with `dossier`.

- `roles`: what is asked of planner and writer, within which limits
- `gather`: finds, reads and screens the documents
- `chunks`, `candidates`: documents in parts; sentences that may be quoted
- `dossier`: documents to a draft, with any cast
- `embedded`, `model`: the cast without and with a language model
- `check`: each sentence against what it cites
- `limits`: how much may be shown of a source
"""
