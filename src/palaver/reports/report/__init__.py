"""A report: one page with every number of a study or table, and what each was made of."""

from palaver.reports.report.study_subject import of_study
from palaver.reports.report.subject import Subject
from palaver.reports.report.table_subject import of_table
from palaver.reports.report.writer import Written, write_report

__all__ = ["Subject", "Written", "of_study", "of_table", "write_report"]
