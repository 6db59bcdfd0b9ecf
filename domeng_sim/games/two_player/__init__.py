"""The family of two-player games with a chain, pips and a target score."""
