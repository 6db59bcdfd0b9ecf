"""What can be asked for: a frozen request for each command, validated once; every front end only fills them.

Nothing here imports the compiler, pandas or pyarrow before something is found: help and usage errors are instant.
"""
