"""Puts the gadget on a wiki, so that an interface administrator needs one command.

`pages` says what is to stand there, `definition` what of it goes between the gadgets of
others, `planning` compares, `carrying_out` writes. Nothing is kept here: the wiki's own
history tells what an earlier deployment wrote.
"""
