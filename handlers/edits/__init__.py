"""The edit and its source: did an edit move a statement away from what stands behind it?

The revision before is the best control there is: same topic, same style, and usually
right. Takes a page before and after an edit and the tools; gives what was changed and
what the sources say of both sides. Pure; it awaits only its tools. In the order of the
data:

- `alignment`: which cited claims the edit changed, and how
- `first_look`: which of these may have changed what is said, before any source is read
- `comparison`: both sides beside the same passages
- `finding`: what is kept and shown of it
- `outcome`: what became of the edit, days later, and whether the note was right
"""
