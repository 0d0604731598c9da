"""What the lexical verifier looks for in a claim and its evidence. Pure."""
