"""The style sheets beside what uses them: no dead rule, no unknown class, no colour of its own."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import palaver

SOURCE = Path(palaver.__file__).parent
LOOK = SOURCE / "look"
TOKENS = LOOK / "tokens.css"
SHEETS = sorted(SOURCE.rglob("*.css"))
TEMPLATES = sorted(SOURCE.rglob("*.html"))
SCRIPTS = sorted(SOURCE.rglob("*.js"))
PACKAGES = ("web", "games", "reports", "analysis")
MODULES = sorted(path for name in PACKAGES for path in (SOURCE / name).rglob("*.py"))

WORD = r"[a-zA-Z_][\w-]*"


@cache
def text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def rules(path: Path) -> str:
    """A sheet without comments and strings."""
    bare = re.sub(r"/\*.*?\*/", "", text(path), flags=re.S)
    return re.sub(r'"[^"\n]*"', '""', bare)


def selectors(path: Path) -> Iterator[str]:
    """What stands before each block."""
    for found in re.finditer(r"([^{};]+)\{", rules(path)):
        selector = found.group(1).strip()
        if not selector.startswith("@"):
            yield selector


def declared() -> dict[str, Path]:
    """Every class that a sheet names, and one sheet that does."""
    return {
        name: path
        for path in SHEETS
        for selector in selectors(path)
        for name in re.findall(rf"\.({WORD})", selector)
    }


def given(value: str) -> str:
    """The names that an attribute of a template may hold; "…" is what an expression adds to one."""
    inside = " ".join(re.findall(r"\{\{.*?\}\}|\{%.*?%\}", value))
    compared = re.sub(r'(?:[=!]=|\bin)\s*(?:\([^)]*\)|\[[^]]*\]|"[^"]*")', "", inside)
    texts = [
        each + "…" if each.endswith("-") else each for each in re.findall(r'"([^"]*)"', compared)
    ]
    own = re.sub(r"\{%.*?%\}", " ", re.sub(r"\{\{.*?\}\}", "…", value))
    return " ".join([own, *texts])


def attributes(path: Path) -> Iterator[str]:
    """The values of class attributes, and of the blocks that stand for one."""
    source = text(path)
    value = r'class="((?:\{\{.*?\}\}|\{%.*?%\}|[^"])*)"'
    yield from (found.group(1) for found in re.finditer(value, source, re.S))
    block = r"\{% block (?:body_class|main_class) %\}(.*?)\{% endblock %\}"
    yield from (found.group(1) for found in re.finditer(block, source, re.S))


def in_templates() -> dict[str, Path]:
    """Every class that a template gives to an element, and one template that does."""
    return {
        name: path
        for path in TEMPLATES
        for value in attributes(path)
        for name in given(value).split()
    }


def in_programs() -> set[str]:
    """Every word in a text of a script, of a module, or of an expression of a template."""
    texts: list[str] = []
    for path in SCRIPTS:
        texts += re.findall(
            r"""\"[^"\n]*"|'[^'\n]*'|`[^`]*`""", re.sub(r"(?m)^\s*//.*", "", text(path))
        )
    for path in MODULES:
        texts += re.findall(r'"[^"\n]*"', re.sub(r'""".*?"""', "", text(path), flags=re.S))
    for path in TEMPLATES:
        for inside in re.findall(r"\{[{%].*?[%}]\}", text(path), re.S):
            texts += re.findall(r'"[^"\n]*"', inside)
    # `mark-${n}`, `h${n}` and "mark-" are the beginnings of names.
    words = [re.sub(r"\$?\{[^}]*\}|(?<=-)(?=[\"' ])", "…", each) for each in texts]
    return {name for each in words for name in re.findall(rf"{WORD}…?", each)}


def test_every_class_of_a_sheet_is_used() -> None:
    used = {*in_templates(), *in_programs()}
    stems = [name.removesuffix("…") for name in used if re.fullmatch(rf"{WORD}…", name)]
    begun = re.compile("|".join(f"{stem}{'.+' if stem[-1] == '-' else '[0-9]+'}" for stem in stems))
    dead = sorted(
        f"{path.name}: .{name}"
        for name, path in declared().items()
        if name not in used and not begun.fullmatch(name)
    )
    assert dead == []


def test_every_class_of_a_template_is_known() -> None:
    known = declared()
    scripts = " ".join(text(path) for path in SCRIPTS)
    unknown = sorted(
        f"{path.relative_to(SOURCE)}: {name}"
        for name, path in in_templates().items()
        if re.fullmatch(WORD, name)
        and name not in known
        and not re.search(rf"[.\"'`]{name}\b", scripts)
    )
    assert unknown == []


def test_every_custom_property_is_declared() -> None:
    sources = {path: rules(path) for path in SHEETS}
    known = {name for source in sources.values() for name in re.findall(r"(--[\w-]+)\s*:", source)}
    known |= {name for path in SCRIPTS for name in re.findall(r'"(--[\w-]+)"', text(path))}
    asked = {
        f"{path.name}: {name}"
        for path, source in (*sources.items(), *((path, text(path)) for path in SCRIPTS))
        for name in re.findall(r"var\((--[\w-]+)", source)
        if name not in known
    }
    assert asked == set()


def test_every_token_is_used() -> None:
    used = {
        name
        for path in (*SHEETS, *SCRIPTS, *MODULES, *TEMPLATES)
        for name in re.findall(r"(?:var\(|\")(--[\w-]+)", text(path))
    }
    tokens = set(re.findall(r"(--[\w-]+)\s*:", rules(TOKENS)))
    assert sorted(tokens - used) == []


def test_no_template_has_style_or_script_of_its_own() -> None:
    found = [
        f"{path.relative_to(SOURCE)}: {match.group(0)}"
        for path in TEMPLATES
        for match in re.finditer(
            r"<[^>]*\sstyle=|<[^>]*\son[a-z]+=|javascript:"
            # The viewer is one file, and its policy names its script by digest.
            r"|<script(?![^>]*\ssrc=)[^>]*>(?!\{\{ script \}\})",
            text(path),
        )
    ]
    assert found == []


def test_colours_stand_in_the_tokens_alone() -> None:
    literal = r"#[0-9a-fA-F]{3,8}\b|\b(?:rgb|rgba|hsl|hsla|oklch|lab)\("
    found = [
        f"{path.name}: {match.group(0)}"
        for path in (*SHEETS, *SCRIPTS)
        if path != TOKENS
        for match in re.finditer(literal, rules(path) if path.suffix == ".css" else text(path))
        if not (path.suffix == ".js" and not re.fullmatch(r"#[0-9a-fA-F]{6}|.*\(", match.group(0)))
    ]
    assert found == []


# --- Contrast ----------------------------------------------------------------------------------------

PAPERS = ("ground", "surface", "sunken", "hover")
TEXTS = [
    *(("ink", paper) for paper in PAPERS),
    *(("ink-soft", paper) for paper in PAPERS),
    *(("accent", paper) for paper in ("ground", "surface", "hover")),
    ("accent-ink", "accent"),
    ("accent-ink", "accent-strong"),
    ("accent-strong", "accent-tint"),
    ("own-ink", "own"),
    ("warm-ink", "warm"),
    ("warning", "warning-tint"),
    ("warning", "surface"),
    ("error", "error-tint"),
    ("error", "surface"),
    *((f"mark-{n}", "surface") for n in range(1, 7)),
    *(("ink", f"heat-{n}") for n in range(9)),
]
EDGES = [
    *(("line-strong", paper) for paper in PAPERS),
    *(("focus", paper) for paper in PAPERS),
    *(("accent", paper) for paper in PAPERS),
]


def palette(theme: str) -> dict[str, str]:
    start = {"light": ":root {", "dark": "prefers-color-scheme: dark"}[theme]
    block = text(TOKENS).split(start, 1)[1].split("}")[0]
    return dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", block))


def luminance(colour: str) -> float:
    shares = [int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)]
    red, green, blue = (
        share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_and_edges_stand_out(theme: str) -> None:
    colours = palette(theme)
    weak = [
        f"{over} on {under}: {ratio:.2f}"
        for pairs, least in ((TEXTS, 4.5), (EDGES, 3.0))
        for over, under in pairs
        if (ratio := contrast(colours[over], colours[under])) < least
    ]
    assert weak == []
