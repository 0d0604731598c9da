"""Sets for fine-tuning chat models: an editor of updates, and a writer of drafts.

From revision histories, or a stronger model's drafts, examples are made as
conversations in the usual chat format (`edits`, `drafts`), which any tool for
fine-tuning reads. What a model behind an address then writes is measured
(`edit_figures`, `drafts`). `chat` writes the conversations, `edit_records` the examples of
edits. Start with `edits`. Only `sidenote train editor` and `sidenote train draft` use
this; the writer of drafts is named in the settings (`draft_model`).

No editor ships. Of the 11,791 edits in VitaminC's training revisions, 22 % add words
that are all in one run in the new claim; of the 1,926 dev rows of usual length, 1,242
(64 %) have all their words in the sentence, the claim or the 500 likeliest others. A
copying network of 27 million weights (all-MiniLM-L6-v2 under a decoder of two layers),
given one epoch of that on a CPU, added .09 of the words that people added, and .38 of
what it added was right; appending the claim to the sentence adds .48, with .57 right
(400 random dev rows, `sidenote evaluate editing --edited`). It copied and hardly
edited.
"""
