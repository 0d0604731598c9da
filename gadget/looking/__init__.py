"""Looks at pages that readers ask for, and how far they have come."""

from gadget.looking.looks import Looks, Pace

__all__ = ["Looks", "Pace"]
