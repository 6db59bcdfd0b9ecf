"""Carry out requests: one function for each command, the same for every front end."""
