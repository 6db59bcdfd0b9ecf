"""Statistics: numbers in, numbers out.

Nothing here knows the game. The functions take arrays of counts and scores and return arrays, small frozen dataclasses
or an `Estimate`. One module answers one kind of question:

=========== =========================================================================================
estimate    the one object that carries a figure with its interval
critical    two-sided critical values at any level
intervals   a proportion from independent trials: Wilson, Clopper-Pearson
clusters    rates and means when rounds come in games and games in blocks
differences differences of two of these, on the same clusters or on others
sums        what a ratio estimator remembers of the clusters; adds up over parts
quantiles   quantiles of histograms per cluster
blocks      scores of blocks: mean, sign flips
planning    how many blocks a wanted difference takes
confseq     intervals that hold at every look: normal mixture, Bernoulli
betting     the same for any scores in [0, 1], by bets
sprt        the sequential test of two hypotheses about a mean score
designs     who sits where: neighbour-balanced seatings, balanced incomplete blocks
multiple    many comparisons at once: Holm, max-t, tie groups
ranking     Plackett-Luce strengths, intransitivity
=========== =========================================================================================

Importing this package costs no more than numpy: scipy is imported by the functions that use it.
"""

from __future__ import annotations

from domeng_sim.stats.estimate import Estimate

__all__ = ["Estimate"]
