"""Errors meant for the user: one line that says what was wrong, where, and what is allowed."""


class ChocoError(Exception):
    """A mistake in the input or a missing tool; shown as its message alone, without a traceback."""
