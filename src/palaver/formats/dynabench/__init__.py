"""Task configurations of Dynabench, of all three generations, read as Palaver's task files."""

from palaver.formats.dynabench.convert import convert
from palaver.formats.dynabench.draft import TaskDraft
from palaver.formats.dynabench.source import DynabenchSource, read_sources

__all__ = ["DynabenchSource", "TaskDraft", "convert", "read_sources"]
