"""Sending files that are kept for good: pages, tables and figures of results, byte by byte."""

import mimetypes
from pathlib import PurePosixPath
from urllib.parse import quote

from starlette.responses import Response

# The pages have their style in them and no script; whatever a team called itself runs nowhere.
POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)
PAGE = "index.html"
SHOWN = (".html", ".svg", ".png", ".json", ".txt", ".md")
MEDIA = {".tex": "text/plain", ".csv": "text/csv", ".md": "text/plain", ".jsonl": "text/plain"}


def kept_response(content: bytes, path: str, *, owner: str) -> Response:
    """A kept file; what browsers do not show is saved under its name and its owner's."""
    name = PurePosixPath(PAGE if not path or path.endswith("/") else path)
    media = MEDIA.get(name.suffix) or mimetypes.guess_type(name.name)[0]
    headers = {"content-security-policy": POLICY}
    if name.suffix not in SHOWN:
        file = quote(f"{owner}-{name.name}")
        headers["content-disposition"] = f"attachment; filename*=UTF-8''{file}"
    return Response(content, media_type=media or "application/octet-stream", headers=headers)
