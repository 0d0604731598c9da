"""Which pieces of markup cite something, and the sources that they lead to."""
