"""Sets to fine-tune chat models on: an editor of updates, and a writer of drafts.

Revision histories, or a stronger model's drafts, go in; examples come out as conversations
in the usual chat form (`edits`, `drafts`), which any tool for fine-tuning reads. What a
model behind an address then writes is measured (`edit_figures`, `drafts`). Only
`sidenote train editor` and `sidenote train draft` come here; the writer of drafts is
named in the settings (`draft_model`).

No editor ships. Of the 11,791 edits in VitaminC's training revisions 22 % bring words
that stand in one row in the new claim; of the 1,926 dev rows of usual length 1,242 (64 %)
have all their words in sentence, claim or the 500 likeliest others. A copying network of
27 million weights (all-MiniLM-L6-v2 under a decoder of two layers), given one epoch of
that on a CPU, brought .09 of the words that people brought, and right were .38 of its
own; the claim put behind the sentence brings .48, right .57 (400 dev rows by chance,
`sidenote evaluate editing --edited`). It copied and hardly edited.
"""
