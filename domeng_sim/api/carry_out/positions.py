"""Odds of positions."""

from __future__ import annotations

from domeng_sim.api.carry_out.watch import Watch, executor_of, failures_in_words
from domeng_sim.api.requests.positions import DEFAULT_SAMPLES, OddsRequest
from domeng_sim.errors import BadInput
from domeng_sim.positions import odds
from domeng_sim.positions.odds_result import OddsResult
from domeng_sim.strategies.spec import seat


def find_odds(request: OddsRequest, watch: Watch | None = None) -> OddsResult:
    """Odds of each move of a position."""
    watch, located = watch or Watch(), request.with_position().located
    if located is None:
        raise BadInput("there is no position")
    with failures_in_words(), executor_of(request, watch) as executor:
        strategies = tuple(request.players(located))
        players = [seat(strategy) for strategy in strategies]
        session = odds.OddsSession(
            progress=watch.progress,
            stop=watch.stop,
            executor=executor,
            strategies=strategies,
            infer=request.inference(located),
        )
        if request.exact:
            return odds.exact_odds(located.spec, located.position, session=session)
        samples = request.samples or DEFAULT_SAMPLES
        return odds.sampled_odds(
            located.spec, located.position, players, request.seed or 0, samples, request.radius, session=session
        )
