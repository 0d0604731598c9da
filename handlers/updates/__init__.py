"""WiNELL: facts newer than those in an article, with their sources. Pure.

A page, searches and a verifier go in; outdated statements, new facts and sources worth
reading come out, each with the smallest edit that would add it. There is no fallback for a
language model that fails: the page counts as not checked, and a model that cannot be
reached ends the run.

Start with `discovery`, the loop that calls the roles.

- `roles`: the roles as ports, and what they hand to one another
- `subject`: the article as the roles need it
- `aged`: statements with an "as of" date that has passed
- `questions`: how a language model is asked
- `criteria`: what belongs in each section
- `navigator`: a model chooses the next query or document
- `extractor`: a model reads a page for facts
- `embedded`: navigator and extractor without a language model
- `entailment`: asks the verification model about a fact
- `decisions`: checks what a model says about a fact
- `backing`: how many independent sources an update has
- `editor`: the smallest edit that adds an update
- `operations`, `guard`: edits of a paragraph's words; refuses edits that harm markup
- `suggestions`: which updates are stored, with a lasting identity
"""
