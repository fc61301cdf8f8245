"""Figures as files, and as SVG that stands inside a page."""

from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from palaver.analysis.figures import Figure


@dataclass(frozen=True, slots=True)
class Drawing:
    """A figure as a page shows it: wide, and narrow on a phone; both follow the page's colours."""

    figure: Figure
    wide: Markup
    narrow: Markup


def drawing(figure: Figure) -> Drawing:
    """The figure without its title, which the page writes above it."""
    return Drawing(
        figure,
        Markup(figure.to_svg(palette="page", titled=False)),
        Markup(figure.to_svg(palette="page", titled=False, narrow=True)),
    )


def write_figure(figure: Figure, folder: Path) -> None:
    """The figure as `<name>.svg` (no ground, light colours) and `<name>.png` (on white)."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{figure.name}.svg").write_text(figure.to_svg(), encoding="utf-8")
    (folder / f"{figure.name}.png").write_bytes(figure.to_png())
