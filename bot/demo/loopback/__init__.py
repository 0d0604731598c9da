"""Servers on this machine that stand in for Wikimedia's, in the demo and in tests."""
