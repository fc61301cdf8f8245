"""Ranking systems by votes: Bradley–Terry with ties, its intervals, and Elo for those who ask."""

from palaver.analysis.ranking.bradley_terry import bradley_terry
from palaver.analysis.ranking.elo import Elo, elo
from palaver.analysis.ranking.result import Ranking, SystemStanding
from palaver.analysis.ranking.votes import Votes

__all__ = ["Elo", "Ranking", "SystemStanding", "Votes", "bradley_terry", "elo"]
