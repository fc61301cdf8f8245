"""Where files of a deployment are kept: a local folder, or an S3-compatible store."""

from palaver.storage.objects.address import open_objects
from palaver.storage.objects.store import Objects

__all__ = ["Objects", "open_objects"]
