"""What a cross-encoder reads, and what its answers say of a claim as a whole.

The network sees one text pair at a time and no more than some two hundred words of
evidence. These modules choose the words it is shown and weigh what it says together
with the lexical features. Pure: the network itself is behind a port.
"""
