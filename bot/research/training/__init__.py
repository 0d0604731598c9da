"""Makes the models that ship with the program, the same ones each time."""
