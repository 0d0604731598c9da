"""Makes an editing model from how people edited (WiNELL §3.3, appendices A and B).

`collecting` takes examples from revision histories, `sourcing` gives each a source,
`chatting` writes them as conversations, `fitting` fine-tunes a model on those, and
`measuring` tells how it edits. Only `sidenote train editor` comes here; an editor that
was made so is used through the address of a language model like any other.
"""
