"""Sets to fine-tune chat models on: an editor of updates, and a writer of drafts.

Revision histories, or a stronger model's drafts, go in; examples come out as conversations
in the usual chat form (`edits`, `drafts`), which any tool for fine-tuning reads. What a
model behind an address then writes is measured (`edit_figures`, `draft_figures`). Only
`sidenote train editor` and `sidenote train draft` come here; the writer of drafts is
named in the settings (`draft_model`).
"""
