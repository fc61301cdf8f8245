"""A shared task as files: matrices, tables for papers and spreadsheets, and a board to look at."""

from palaver.reports.shared_task.writer import write_shared_task

__all__ = ["write_shared_task"]
