"""An export as a download: written to a nameless file in a worker thread, then sent in blocks."""

import asyncio
import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import IO
from urllib.parse import quote

from starlette.responses import StreamingResponse

from palaver.core.audit import Actor
from palaver.reports.export import EXPORTS, export_study
from palaver.studies.run.deployment import Deployment

BLOCK = 1 << 18
# What is held in memory before a file is used.
SPOOL = 1 << 20


@dataclass(frozen=True, slots=True)
class Download:
    """A finished export; the file has no name and goes when it is closed."""

    file: IO[bytes]
    size: int
    filename: str
    media_type: str


async def make_export(
    deployment: Deployment,
    *,
    study: str,
    format: str,
    mask: bool,
    actor: Actor,
    raw: bool = False,
) -> Download:
    """Write a study to a temporary file; UnknownNameError if there is no such format.

    No cell of a table can be taken for a formula, unless `raw` says that it is not for people.
    """
    kind = EXPORTS.get(format)
    folders = {name: running.definition.folder for name, running in deployment.studies.items()}

    def write() -> Download:
        file = tempfile.SpooledTemporaryFile(max_size=SPOOL)  # noqa: SIM115  (outlives this)
        try:
            export_study(
                deployment.store,
                study=study,
                format=format,
                destination=file,  # type: ignore[arg-type]
                mask=mask,
                spreadsheet=not raw,
                study_folders=folders,
                now=deployment.clock.now(),
                actor=actor,
            )
            size = file.tell()
            file.seek(0)
        except BaseException:
            file.close()
            raise
        return Download(file, size, kind.filename(study), kind.media_type)

    return await asyncio.to_thread(write)


def send(download: Download) -> StreamingResponse:
    """The response that sends an export and then forgets it."""
    name = quote(download.filename)
    headers = {
        "content-disposition": f"attachment; filename*=UTF-8''{name}",
        "content-length": str(download.size),
    }
    return StreamingResponse(_blocks(download), media_type=download.media_type, headers=headers)


async def _blocks(download: Download) -> AsyncIterator[bytes]:
    try:
        while block := await asyncio.to_thread(download.file.read, BLOCK):
            yield block
    finally:
        download.file.close()
