"""A project of the ChatEvaluationPlatform as a study of ours: `palaver import chateval`."""

from palaver.studies.intake.chateval.project import import_project
from palaver.studies.intake.chateval.report import Report

__all__ = ["Report", "import_project"]
