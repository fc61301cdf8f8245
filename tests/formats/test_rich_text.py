"""Markdown in messages: what is shown, what stays words, and that nothing hangs or gets lost."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palaver.formats.rich_text import LONGEST, rich_html, rich_tree


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("**bold** and *italics*", "<p><strong>bold</strong> and <em>italics</em></p>"),
        ("- one\n- two", "<ul><li>one</li><li>two</li></ul>"),
        ("4. four\n5. five", '<ol start="4"><li>four</li><li>five</li></ol>'),
        ("# Plan\nGo", "<p><strong>Plan</strong></p><p>Go</p>"),
        (
            "`x < 1`\n```py\ny\n```",
            '<p><code>x &lt; 1</code></p><pre tabindex="0"><code>y</code></pre>',
        ),
        (
            "|a|b|\n|-|-|\n|1|2|",
            '<table tabindex="0"><thead><tr><th>a</th><th>b</th></tr></thead>'
            "<tbody><tr><td>1</td><td>2</td></tr></tbody></table>",
        ),
        (
            "See [the times](https://a.example/x).",
            '<p>See <a href="https://a.example/x" target="_blank" rel="noopener noreferrer">'
            "the times</a><small> (https://a.example/x)</small>.</p>",
        ),
        ("one\ntwo **b**", "<p>one<br>two <strong>b</strong></p>"),
    ],
)
def test_the_subset_is_shown(text: str, html: str) -> None:
    assert rich_html(text) == html


@pytest.mark.parametrize(
    "text",
    [
        "Hello.",
        "2 * 3 * 4 is 24, snake_case_name, a|b",
        "🦆🦆🦆",
        "x" * 300,
        "שלום, מה שלומך?",
        "[x](javascript:alert(1))",
        "[x](data:text/html,<script>alert(1)</script>)",
        "<b>not bold</b>",
        "R&amp;D",
    ],
)
def test_what_is_no_markdown_is_shown_as_it_was_sent(text: str) -> None:
    assert rich_tree(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script> **b**",
        '<img src=x onerror="alert(1)"> **b**',
        "![alt](https://a.example/x.png) **b**",
        "![alt](javascript:alert(1)) **b**",
        "[**b**](vbscript:alert(1)) *c*",
        '[x](https://a.example/"onmouseover="alert(1)) **b**',
        "<javascript:alert(1)> **b**",
        "[ftp](ftp://a.example) [own](/desk) **b**",
    ],
)
def test_nothing_but_the_subset_becomes_an_element(text: str) -> None:
    allowed = {"p", "strong", "em", "small", "a"}
    links: list[str] = []

    def walk(nodes: list) -> None:  # type: ignore[type-arg]
        for node in nodes:
            if isinstance(node, list):
                assert node[0] in allowed
                links.extend(node[2:])
                walk(node[1])

    tree = rich_tree(text)
    assert tree is not None
    walk(tree)
    assert all(link.startswith("https://a.example/") for link in links)
    html = str(rich_html(text))
    assert "<script" not in html
    assert "<img" not in html
    assert 'onmouseover="' not in html


@pytest.mark.parametrize(
    "text",
    [
        "\n".join("  " * depth + "- x" for depth in range(200)),
        "\n".join("  " * depth + "- x" for depth in range(20)),
        ">" * 3000 + " deep",
        "*" * 2999 + "deep" + "*" * 2999,
        "[" * 2990 + "deep" + "](b)" * 700,
        "|a|b|\n|-|-|\n" + "|xxxx|yyyy|\n" * 9000,
        "**b** " * LONGEST,
    ],
)
def test_what_is_too_deep_or_too_long_is_shown_as_it_was_sent(text: str) -> None:
    assert rich_tree(text) is None


@pytest.mark.parametrize("sign", ["[", "![", "*a ", "**a", "`x", "<", "\\", "|", "~~a", "[a](b"])
def test_signs_without_end_are_parsed_and_travel_as_json(sign: str) -> None:
    tree = rich_tree((sign * LONGEST)[:LONGEST])
    assert len(json.dumps(tree)) < 40 * LONGEST


@given(st.text(alphabet="*_~`[]()!<>|-+#1.\\ \n\taé🦆:/", max_size=200))
def test_whatever_signs_come_the_page_and_the_wire_can_carry_them(text: str) -> None:
    tree = rich_tree(text)
    assert (rich_html(text) is None) == (tree is None)
    assert json.loads(json.dumps(tree)) == tree


def test_lists_in_lists_lose_nothing() -> None:
    shown = str(rich_html("\n".join("  " * depth + f"- item {depth}" for depth in range(6))))
    assert [f"item {depth}" in shown for depth in range(6)] == [True] * 6
