"""All design points together, in the order of the page."""

from coverage_study.design import Point
from coverage_study.points import (
    advice,
    agreement,
    comparisons,
    drawn_raters,
    dynascores,
    effects,
    items,
    means,
    mixed,
    orders,
    proportions,
    sequential,
    votes,
    votes_raters,
    writers,
)

POINTS: list[Point] = [
    *proportions.POINTS,
    *means.POINTS,
    *comparisons.POINTS,
    *mixed.POINTS,
    *effects.POINTS,
    *agreement.POINTS,
    *drawn_raters.POINTS,
    *orders.POINTS,
    *votes.POINTS,
    *votes_raters.POINTS,
    *sequential.POINTS,
    *dynascores.POINTS,
    *advice.POINTS,
    *items.POINTS,
    *writers.POINTS,
]
