"""What a text says, read once: its words, numbers, dates and names. Pure.

`words` cuts a text into words and reduces them to stems, `numbers` and `dates` find the
values among them, and `analysis` holds them all, with the names. `difference` names the
two values in which a claim and a quote differ. Start with `analysis`.
"""
