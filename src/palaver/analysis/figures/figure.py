"""A figure: a Vega-Lite specification with words, drawn on demand.

It holds two specifications: one for a page or a paper and a narrow one for a phone, whose text has
the same size. Drawing needs no browser and no network (vl-convert).
"""

import json
import re
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from typing import Any, Literal

Palette = Literal["light", "dark", "page"]
Spec = dict[str, Any]

# The colours by their role, as in `look/tokens.css`; a figure never relies on them alone.
INK = "#16201e"
SOFT = "#50605c"
LINE = "#dde1de"
STRONG_LINE = "#7b8481"
ACCENT = "#0b6462"

# Those of the six marks that systems have, `--mark-1` and so on.
MARK_COLOURS = ("#0072b2", "#b34700", "#00755a", "#9b4f80", "#6b5b00", "#4b4b4b")
DARK_MARKS = ("#6cb8e6", "#f0a06a", "#54c9a5", "#dfa0c6", "#d9c45a", "#c3c8c6")

# Light colour → the same role on dark ground, and the custom property that holds both on a page.
ROLES: dict[str, tuple[str, str]] = {
    INK: ("#e9eeec", "--ink"),
    SOFT: ("#a8b5b1", "--ink-soft"),
    LINE: ("#2f3936", "--line"),
    STRONG_LINE: ("#7f8b87", "--line-strong"),
    ACCENT: ("#63c6bf", "--accent"),
    **{
        light: (dark, f"--mark-{n}")
        for n, (light, dark) in enumerate(zip(MARK_COLOURS, DARK_MARKS, strict=True), start=1)
    },
}

WIDE = 640
NARROW = 320
SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif"
# Pixels that a letter of the axis labels takes on average: fonts differ, so this errs on the wide side.
LETTER = 7.0

_CONFIG: Spec = {
    "font": FONT,
    "background": None,
    "aria": False,
    "view": {"stroke": None},
    "axis": {
        "labelColor": INK,
        "titleColor": SOFT,
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "gridColor": LINE,
        "domainColor": STRONG_LINE,
        "tickColor": STRONG_LINE,
        "labelPadding": 6,
    },
    "title": {"color": INK, "fontSize": 14, "fontWeight": 600, "anchor": "start", "offset": 12},
    "text": {"color": INK, "fontSize": 12},
    "legend": {"labelColor": INK, "labelFontSize": 12, "titleColor": SOFT},
}


@dataclass(frozen=True, slots=True)
class Figure:
    """A picture of a result: `title` says the answer, `alt` says it to those who do not see it."""

    name: str
    title: str
    alt: str
    spec: Spec
    narrow: Spec

    def to_svg(
        self, *, palette: Palette = "light", titled: bool = True, narrow: bool = False
    ) -> str:
        """The figure as SVG on no ground of its own.

        The palette `page` names the custom properties of Palaver's pages (`var(--ink)`), so that an
        SVG that stands inside a page follows its light and dark. `titled` draws the title into it.
        """
        drawn = _vega_svg(json.dumps(self._drawn(titled=titled, narrow=narrow)))
        return recoloured(_scalable(drawn, self.alt), palette)

    def to_png(self, *, scale: float = 2.0) -> bytes:
        """The figure as PNG on white, `scale` pixels to a point."""
        import vl_convert

        head, body = _vega_svg(json.dumps(self._drawn(titled=True, narrow=False))).split(">", 1)
        ground = '<rect width="100%" height="100%" fill="white"/>'
        png: bytes = vl_convert.svg_to_png(f"{head}>{ground}{body}", scale=scale)
        return png

    def to_json(self) -> str:
        """The Vega-Lite specification, for other tools."""
        return json.dumps(self._drawn(titled=True, narrow=False), indent=2, ensure_ascii=False)

    def _drawn(self, *, titled: bool, narrow: bool) -> Spec:
        width = NARROW if narrow else WIDE
        spec = {"$schema": SCHEMA, "config": _CONFIG, **(self.narrow if narrow else self.spec)}
        spec |= {"width": width, "autosize": {"type": "fit-x", "contains": "padding"}, "padding": 4}
        if titled and self.title:
            spec["title"] = {"text": textwrap.wrap(self.title, int(width / 8))}
        return spec

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return {"image/svg+xml": self.to_svg(), "text/plain": f"{self.title} ({self.alt})"}


def draw(name: str, title: str, alt: str, build: Callable[[int], Spec]) -> Figure:
    """A figure of what `build` makes of a width, once wide and once narrow."""
    return Figure(name, title, " ".join(alt.split()), build(WIDE), build(NARROW))


def shortened(name: str, letters: int) -> str:
    """A name of at most so many letters; what is cut is cut from its middle, where names differ least.

    >>> shortened("a-very-long-system-name-v2", 13)
    'a-very…ame-v2'
    """
    if len(name) <= letters:
        return name
    kept = max(2, letters - 1)
    return f"{name[: kept - kept // 2]}…{name[len(name) - kept // 2 :]}"


def distinct(names: list[str], letters: int) -> dict[str, str]:
    """Each name shortened, and numbered where two names would look the same."""
    short: dict[str, str] = {}
    taken: set[str] = set()
    for name in dict.fromkeys(names):
        shown = shortened(name, letters)
        number = 2
        while shown in taken:
            shown = f"{shortened(name, letters - 3)} ({number})"
            number += 1
        taken.add(shown)
        short[name] = shown
    return short


def label_letters(width: int) -> int:
    """How many letters the names beside a figure of this width may have."""
    return int(width * 0.36 / LETTER)


@lru_cache(maxsize=1)
def _vega_svg(spec: str) -> str:
    """A specification as Vega draws it; whoever wants SVG and PNG has it drawn once."""
    import vl_convert

    # Read here: the other reader of JSON rounds numbers.
    svg: str = vl_convert.vegalite_to_svg(json.loads(spec))
    return svg


def _scalable(svg: str, alt: str) -> str:
    """The SVG as one picture with a description: Vega describes each of its parts."""
    head, body = svg.split(">", 1)
    head = re.sub(r' class="marks"| version="[^"]*"| xmlns:xlink="[^"]*"', "", head)
    body = re.sub(r' (?:role|aria-[a-z]+|class|pointer-events)="[^"<>]*"', "", body)
    return f'{head} role="img" aria-label="{escape(alt)}">{body}'


def recoloured(svg: str, palette: Palette) -> str:
    """A figure drawn in the light colours, in those of a palette."""
    if palette == "light":
        return svg
    for light, (dark, token) in ROLES.items():
        given = dark if palette == "dark" else f"var({token}, {light})"
        svg = svg.replace(f'"{light}"', f'"{given}"')
    return svg
