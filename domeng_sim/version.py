"""Version of the package, in its one place: ``pyproject.toml`` reads it from here.

It is a constant, not looked up in the installed metadata, because that look-up would slow down every start.
"""

__version__ = "0.1.0"
