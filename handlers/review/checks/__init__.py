"""What a program can find in an article's writing, one module for each kind."""
