"""Task configurations of Dynabench, of all three generations, read as Palaver's task files."""

from palaver.formats.dynabench.convert import convert
from palaver.formats.dynabench.draft import Draft
from palaver.formats.dynabench.source import Source, read_sources

__all__ = ["Draft", "Source", "convert", "read_sources"]
