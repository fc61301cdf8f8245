"""An object store by its address."""

from pathlib import Path

from palaver.core.errors import InputError
from palaver.storage.objects.folder import FolderObjects
from palaver.storage.objects.s3 import SCHEME, S3Objects
from palaver.storage.objects.store import Objects


def open_objects(url: str, *, folder: Path) -> Objects:
    """The store at `url`: s3://bucket/prefix, or a folder, relative to `folder`."""
    if "://" not in url:
        return FolderObjects(folder / url)
    if url.startswith(SCHEME):
        return S3Objects(url)
    raise InputError(f"The object store '{url}' is not of a known kind; give a folder or s3://…")
