"""Makes the models that ship with the program, identical each time."""
