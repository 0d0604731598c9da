"""What the database tells of how the program is doing, as values."""
