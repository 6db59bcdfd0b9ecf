"""The naive twin: the games once more, in plain Python, to be checked against the rules by eye.

Nothing here is fast and nothing is shared with the package under test. The standard library is enough.
"""
