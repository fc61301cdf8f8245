"""Task configurations of Dynabench, of all three generations, read as Palaver's task files.

So are the modules of dynalab that say what a model answers.
"""

from palaver.formats.dynabench.convert import convert
from palaver.formats.dynabench.draft import TaskDraft
from palaver.formats.dynabench.response_check import check_module, response_check
from palaver.formats.dynabench.source import DynabenchSource, read_sources

__all__ = [
    "DynabenchSource",
    "TaskDraft",
    "check_module",
    "convert",
    "read_sources",
    "response_check",
]
