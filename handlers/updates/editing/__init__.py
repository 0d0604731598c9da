"""The smallest edit that brings an update into its paragraph (WiNELL §3.3). Pure.

`places` finds where, `changes` are what is done there, `guarding` refuses whatever would
lose a reference, a template or a link. `embedded` writes no words: it places the citation
and marks what is outdated. `by_model` asks a language model for `operations`, never for a
paragraph, and `checking` decides whether they may be shown.
"""
