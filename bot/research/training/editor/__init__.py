"""Makes an editing model from how people edited (WiNELL §3.3, appendices A and B).

`collecting` takes examples from revision histories, `sourcing` gives each a source,
`chatting` writes them as conversations, and `measuring` tells how a model that was
fitted to those (`bot.research.training.chat`) edits. Only `sidenote train editor` comes here; an editor that
was made so is used through the address of a language model like any other.
"""
