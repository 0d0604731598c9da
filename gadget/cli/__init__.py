"""Commands that are the gadget's; `bot.app.cli` finds them by name."""
