"""A project of the ChatEvaluationPlatform as a study of ours: `palaver import chateval`."""

from palaver.studies.intake.chateval.draft import ImportReport
from palaver.studies.intake.chateval.project import import_project

__all__ = ["ImportReport", "import_project"]
