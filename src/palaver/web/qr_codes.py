"""Addresses as pictures that a phone reads."""

import io
from typing import Literal

from markupsafe import Markup


def qr_svg(
    text: str, *, title: str, error: Literal["l", "m"] = "m", is_fluid: bool = False
) -> Markup:
    """The QR code of a text, as SVG to put into a page; a fluid one is as large as its place."""
    import segno  # only for those who show one: two megabytes that others need not hold

    drawn = io.BytesIO()
    segno.make(text, error=error).save(
        drawn,
        kind="svg",
        scale=4,
        omitsize=is_fluid,
        border=3,
        dark="#000",
        light="#fff",
        xmldecl=False,
        svgns=False,
        svgclass="qr",
        lineclass=None,
        title=title,
    )
    return Markup(drawn.getvalue().decode())


def qr_file(text: str, *, title: str) -> bytes:
    """The QR code of a text, as a file of its own."""
    import segno

    drawn = io.BytesIO()
    segno.make(text, error="m").save(
        drawn, kind="svg", scale=8, border=4, dark="#000", light="#fff", title=title
    )
    return drawn.getvalue()
