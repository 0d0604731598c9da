"""Which words each citation vouches for, as the reader sees them."""
