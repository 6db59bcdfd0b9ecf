"""The family of two-player games with a chain, pips and a target score: Draw, and Block, in which nobody draws."""
