"""Rows of named cells as files that papers and spreadsheets take."""

from palaver.reports.tables.csv import csv_table
from palaver.reports.tables.latex import latex_table

__all__ = ["csv_table", "latex_table"]
