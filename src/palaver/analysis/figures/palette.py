"""The colours of figures by their role: on light paper, on dark, and as a page's own tokens.

The six marks can be told apart with any kind of colour vision; a figure never relies on them alone.
"""

from typing import Literal

Palette = Literal["light", "dark", "page"]

INK = "#1d1f1e"
SOFT = "#565a58"
LINE = "#d8d8d3"
STRONG_LINE = "#84847d"
ACCENT = "#0b6462"
WARNING = "#7a4b00"
MARKS = ("#0072b2", "#b34700", "#00755a", "#9b4f80", "#6b5b00", "#4b4b4b")

# Light colour → the same role on dark ground, and the custom property that holds both on a page.
ROLES: dict[str, tuple[str, str]] = {
    INK: ("#eceeed", "--ink"),
    SOFT: ("#b0b7b5", "--ink-soft"),
    LINE: ("#3a403f", "--line"),
    STRONG_LINE: ("#818a88", "--line-strong"),
    ACCENT: ("#63c6bf", "--accent"),
    WARNING: ("#f0bd6a", "--warning"),
    MARKS[0]: ("#6cb8e6", "--mark-1"),
    MARKS[1]: ("#f0a06a", "--mark-2"),
    MARKS[2]: ("#54c9a5", "--mark-3"),
    MARKS[3]: ("#dfa0c6", "--mark-4"),
    MARKS[4]: ("#d9c45a", "--mark-5"),
    MARKS[5]: ("#c3c8c6", "--mark-6"),
}


def recoloured(svg: str, palette: Palette) -> str:
    """A figure drawn in the light colours, in those of a palette."""
    if palette == "light":
        return svg
    for light, (dark, token) in ROLES.items():
        given = dark if palette == "dark" else f"var({token}, {light})"
        svg = svg.replace(f'"{light}"', f'"{given}"')
    return svg
