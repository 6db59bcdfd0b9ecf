"""Statistics: numbers in, numbers out.

Nothing here knows the game. The functions take arrays of counts and scores and return arrays, small frozen dataclasses
or an `Estimate`. One module answers one kind of question:

========== ==========================================================================================
estimate   the one object that carries a figure with its interval
intervals  a proportion from independent trials: Wilson, Clopper-Pearson, Goodman, Haldane
clusters   rates, means and differences when rounds come in games and games in blocks
sums       what a ratio estimator remembers of the clusters; adds up over parts
quantiles  quantiles of histograms per cluster
blocks     scores of blocks: mean, contrast, sign flips, log-strength
planning   how many blocks or trials a wanted precision takes
confseq    intervals that hold at every look: normal mixture, betting, Bernoulli
sprt       the sequential test of two hypotheses about a mean score
designs    who sits where: neighbour-balanced seatings, A/B mixes, balanced incomplete blocks
multiple   many comparisons at once: Holm, Benjamini-Hochberg, max-t, tie groups
ranking    Plackett-Luce strengths, intransitivity
control    control variates
========== ==========================================================================================

Importing this package costs no more than numpy: scipy and statsmodels are imported by the functions that use them.
"""

from __future__ import annotations

from domeng_sim.stats.estimate import Estimate

__all__ = ["Estimate"]
