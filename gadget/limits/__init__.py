"""How much one reader, and one address, may ask for. Kept in memory, bounded, never logged."""
