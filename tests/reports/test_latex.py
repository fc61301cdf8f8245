"""LaTeX tables: any text is escaped to ASCII, and what is too wide or too long is set in parts."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palaver.reports.latex import PAGE_WIDTH, latex_table
from palaver.reports.latex_text import escaped, text_width, wrapped


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("é", r"\'{e}"),
        ("e\u0301", r"\'{e}"),
        ("naïve", r"na\"{\i}ve"),
        ("Ångström", r"\r{A}ngstr\"{o}m"),
        ("Łódź ß", r"\L{}\'{o}d\'{z} \ss{}"),
        ("Kendall's τ", r"Kendall's $\tau$"),
        ("Λ Α ά ς", r"$\Lambda$ A $\alpha$ $\varsigma$"),
        ("½ ﬁ Ａ ²", r"1/2 fi A 2"),
        ("a--b", "a-{}-b"),
        ('"x"', "''x''"),
        ("a\u200bb\u202e\n c", "ab  c"),
    ],
)
def test_letters_become_commands_of_the_plainest_fonts(text: str, code: str) -> None:
    assert escaped(text) == code


def test_what_no_font_holds_is_named_and_stands_as_itself_elsewhere() -> None:
    assert escaped("x 中文") == r"x \ifdefined\Umathchar 中文\else[U+4E2D U+6587]\fi{}"
    assert escaped("🚀") == r"\ifdefined\Umathchar 🚀\else[rocket]\fi{}"


@given(st.text(max_size=20))
@settings(max_examples=200, deadline=None)
def test_pdflatex_meets_nothing_but_ascii(text: str) -> None:
    read = re.sub(r"\\ifdefined\\Umathchar [^\\]*\\else", "", escaped(text))

    assert read.isascii()
    assert read.isprintable()
    plain = re.sub(r"\\[\\{}$&#%_~]", "", read.replace(r"\textbackslash{}", ""))
    assert not set(plain) & set("&#%~")
    assert plain.count("{") == plain.count("}")


def test_a_long_word_may_be_broken() -> None:
    assert wrapped("short words", 100) == "short words"
    assert wrapped("abc longer", 20) == "abc " + r"\hspace{0pt}".join("longer")
    assert text_width("W" * 10) > 100 > text_width("i" * 10)


def test_a_wide_table_is_set_in_parts_that_share_their_first_column() -> None:
    rows = [{"run": f"r{n}"} | {f"c{c}": 0.5 for c in range(40)} for n in range(3)]

    found = latex_table(rows, caption="Many", label="tab:many")

    parts = found.split(r"\end{table}")[:-1]
    assert len(parts) > 1
    assert f"Many (part 1 of {len(parts)})" in parts[0]
    assert [r"\label{tab:many}" in part for part in parts] == [True, *[False] * (len(parts) - 1)]
    headings = re.findall(r"\\hline\n(run.*?) \\\\", found)
    assert [name for line in headings for name in line.split(" & ")[1:]] == [
        f"c{c}" for c in range(40)
    ]
    assert all(part.count("r2 & ") == 1 for part in parts)


def test_a_long_table_is_set_in_parts_with_every_row_once() -> None:
    rows = [{"run": f"run {n}", "p": 0.5} for n in range(200)]

    found = latex_table(rows, caption="Long")

    assert found.count(r"\begin{table}") == found.count(r"\hline" + "\nrun & p") > 1
    assert re.findall(r"run (\d+) &", found) == [str(n) for n in range(200)]


def test_long_texts_are_wrapped_to_the_page() -> None:
    found = latex_table([{"run": "a", "said": "many words " * 60}], caption="Said")

    widths = [float(width) for width in re.findall(r"p\{(\d+)pt\}", found)]
    assert len(widths) == 1
    assert widths[0] < PAGE_WIDTH
    assert r"\raggedright many words" in found
    assert r"\tabularnewline" in found


def test_a_row_that_says_nothing_in_a_part_is_left_out_of_it() -> None:
    rows = [
        {"run": f"r{row}"} | {f"c{c}": 0.5 if c > row else "" for c in range(40)}
        for row in range(40)
    ]

    parts = latex_table(rows, caption="Above").split(r"\end{table}")[:-1]

    assert parts[0].count("\nr") < parts[-1].count("\nr")


def test_a_row_that_begins_with_a_bracket_is_no_option_of_the_line_before() -> None:
    assert "\n{}[x] & 1" in latex_table([{"a": "[x]", "n": 1}])
    assert "\n{}*x & 1" in latex_table([{"a": "*x", "n": 1}])


def test_numbers_without_their_zeros() -> None:
    rows = [{"p": 0.0312}, {"p": 1.0}, {"p": 0.00001}, {"p": -0.5}]
    found = latex_table(rows, zeros=False)
    assert re.findall(r"^(.*) \\\\$", found, re.MULTILINE) == [
        "p",
        ".0312",
        "1.0000",
        "$<$.0001",
        "$-.5000$",
    ]
