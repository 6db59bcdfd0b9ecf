"""The words of statistics that results are told with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

STATISTICS: Final[Mapping[str, str]] = {
    "seed": "The number from which all deals and all random choices follow: the same seed gives the same rows.",
    "interval": "A range that holds the true value in 95 of 100 studies, if its level is 95 %.",
    "level": "How often intervals are to hold the true value: 0.95 unless another is given.",
    "half-width": "Half the length of an interval, the number behind ±.",
    "pp": "Percentage points: from 20 % to 21 % is one of them.",
    "±?": "No interval can be told: the batches are too few, or what is counted is too rare.",
    "batch": "Some matches in a row, counted together. Intervals come from how much batches differ, since rounds of "
    "one match are not independent.",
    "cluster": "What is independent of all else and so counts as one observation: a batch of matches, or a block.",
    "block": "The unit of a comparison: the same deals, played once with each strategy in each seat in turn.",
    "common deals": "Both sides of a comparison get the same tiles, so that luck cancels out of the difference.",
    "common random numbers": "The same random choices as well as the same deals for all moves of a position.",
    "field": "The strategies at the other seats of a comparison.",
    "share of the CAMAT": "How many of the games that a strategy takes part in it wins; a fifth is fair among five.",
    "look": "A time at which a study that may stop early is judged.",
    "confidence sequence": "Intervals that hold at all looks together, so that a study may stop when they are narrow "
    "enough. They are wider than those of a number of blocks fixed beforehand.",
    "optional stopping": "To stop a study when its results are good enough. Intervals for a number of blocks fixed "
    "beforehand then err too often; confidence sequences do not.",
    "SPRT": "The sequential probability ratio test of H1 against H0: it ends as soon as the results tell them apart.",
    "type I error": "To accept H1, that there is a difference, when H0 is true; its probability is alpha.",
    "type II error": "To accept H0 when H1 is true; its probability is beta, and power is one minus it.",
    "p-value": "How often results at least this far from no difference would come about without one.",
    "Holm": "A correction of p-values for several comparisons at once: the chance of any false claim stays below 5 %.",
    "significant": "Said of a difference whose interval does not contain 0, or whose p-value is below 1 - level.",
    "power": "Probability that a study detects a difference of a given size, if there is one.",
    "pilot": "A few blocks played beforehand, to see how much they differ.",
    "bootstrap": "An interval from results drawn again and again from those that were found.",
    "log-strength": "A number for each strategy from which the chances of any two follow (Bradley and Terry).",
    "truncated": "A game that the rule max_rounds ended. It enters no figure about won games.",
    "unfinished": "A game that was under way when the match ended.",
    "consistent deal": "A deal of the hidden tiles that agrees with all that was seen.",
    "sample": "In odds: one consistent deal, on which every move is played.",
    "exact": "Every deal and every course of the round was gone through; there is no error to tell.",
}
"""A sentence or two by word."""
