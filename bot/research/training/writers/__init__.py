"""Fine-tunes chat models that write: an editor of updates, and a writer of drafts.

Revision histories, or a stronger model's drafts, go in; examples come out as conversations
(`edits`, `drafts`), a model learns their answers (`fitting`), and what it then writes is
measured (`edit_figures`, `draft_figures`). Only `sidenote train editor` and `sidenote
train draft` come here. A model that was made so is used through the address of a language
model like any other; the writer of drafts is named in the settings (`draft_model`).
"""
