"""Where each piece of markup begins and ends, and what it reads like."""
