"""Ranking systems by votes: Bradley–Terry with ties, its intervals, and Elo for those who ask."""

from palaver.analysis.ranking.bradley_terry import bradley_terry
from palaver.analysis.ranking.elo import Elo, elo
from palaver.analysis.ranking.standings import Ranking, Standing
from palaver.analysis.ranking.votes import Votes

__all__ = ["Elo", "Ranking", "Standing", "Votes", "bradley_terry", "elo"]
