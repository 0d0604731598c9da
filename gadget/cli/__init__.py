"""Commands that are the gadget's; `bot.cli` finds them by name."""
