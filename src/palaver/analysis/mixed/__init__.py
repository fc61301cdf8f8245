"""Mixed models of ratings: systems are fixed, raters and items random and crossed."""

from palaver.analysis.mixed.linear import linear_mixed
from palaver.analysis.mixed.ordinal import ordinal_mixed
from palaver.analysis.mixed.ratings import Contrast, MixedResult

__all__ = ["Contrast", "MixedResult", "linear_mixed", "ordinal_mixed"]
