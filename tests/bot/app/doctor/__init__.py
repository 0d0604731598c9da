"""Tests of `bot.app.doctor`."""
