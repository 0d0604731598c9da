"""Reaches the world: one library, one adapter."""
