"""All design points together."""

from coverage_study.design import Point
from coverage_study.points import advice, agreement, dynascores, means, orders, proportions, votes

POINTS: list[Point] = [
    *proportions.POINTS,
    *means.POINTS,
    *agreement.POINTS,
    *orders.POINTS,
    *votes.POINTS,
    *dynascores.POINTS,
    *advice.POINTS,
]
