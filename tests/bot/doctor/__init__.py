"""Tests of `bot.doctor`."""
