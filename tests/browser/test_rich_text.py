"""Markdown looks the same whether the server draws it or the live chat's script does."""

from typing import Any

from palaver.formats.rich_places import placed_tree
from palaver.formats.rich_text import LONGEST, rich_html, rich_tree

from .test_participant import PAIRED

MESSAGES = [
    "**bold**, *italics*, ~~gone~~ and `x < 1 && y`",
    "***both*** and **bold *and italics* inside**",
    "# Plan\n\nFirst\nsecond  \nthird",
    "- one\n- two\n  - inside\n    1. deep\n    2. deeper\n\n7. seven\n8. eight",
    "> said\n> > said before\n\nand so on",
    "```py\nif a < b:\n    print('&amp;')\n```\n\n---\n\nend",
    "| town | rain |\n|:---|---:|\n| Ghent \\| Gent | `1|2` |\n| Brno |",
    '[words](https://a.example/x?a=1&b=2 "title"), <https://b.example> and <me@c.example>',
    "[bad](javascript:alert(1)) *x* [own](/desk) ![picture](https://a.example/p.png)",
    "[![picture](https://a.example/p) and <https://b.example>](https://c.example) **b**",
    "<script>alert(1)</script> **b** &lt; &copy; \\*no\\* \\<",
    "🦆 **👩‍👩‍👧 Straße** שלום *مرحبا*",
    "[ref]: https://a.example\n\n[ref] **b**",
    "*" * 2999 + "a" + "*" * 2999,
    "[" * 10_000,
    ">" * 5_000 + "a",
    "\n".join("  " * depth + "- x" for depth in range(12)),
    ("|a" * 200 + "|\n" + "|-" * 200 + "|\n" + "|b" * 200 + "|\n") * 3,
    ("**b** " * LONGEST)[: LONGEST - 1],
    "x" * 1_000_000,
]
SAME = """async ([tree, html]) => {
  const { richNodes } = await import("/static/rich-text.js");
  const drawn = document.createElement("div");
  drawn.append(...richNodes(tree));
  const parsed = new DOMParser().parseFromString(`<div>${html}</div>`, "text/html");
  const sent = parsed.body.firstChild;
  drawn.normalize();
  sent.normalize();
  return { same: drawn.isEqualNode(sent), drawn: drawn.innerHTML, sent: sent.innerHTML };
}"""


def test_script_and_server_draw_the_same(serve_once: Any, link: Any, new_page: Any) -> None:
    page = new_page()
    page.goto(link(serve_once(PAIRED)))
    drawn = 0
    for message in MESSAGES:
        tree = rich_tree(message)
        html = rich_html(message)
        assert (tree is None) == (html is None)
        if tree is not None:
            found = page.evaluate(SAME, [tree, str(html)])
            assert found["same"], (message, found)
            drawn += 1
    assert drawn == 15


# Selects each character that is shown, one by one, and tells the character sent at its place.
EACH = """async ([text, tree]) => {
  const { MarkedText } = await import("/static/marked-text.js");
  const box = document.body.appendChild(document.createElement("div"));
  const marked = new MarkedText(box, text, tree);
  const walker = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
  const wrong = [];
  let count = 0;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    let at = 0;
    for (const letter of node.data) {
      getSelection().setBaseAndExtent(node, at, node, at + letter.length);
      at += letter.length;
      const found = marked.selected;
      if (letter.trim() === "") continue;
      count += 1;
      const sent = found ? marked.slice(found) : null;
      if (sent !== letter && !sent?.includes(letter)) wrong.push([letter, sent]);
      if (sent === letter) {
        marked.show([{ ...found, style: "s", letter: "A" }]);
        const shown = [...box.querySelectorAll("mark")].map((mark) => mark.textContent).join("");
        if (shown !== letter) wrong.push([letter, "shown", shown]);
        marked.show([]);
        break; // drawing anew replaces this node
      }
    }
  }
  getSelection().selectAllChildren(box);
  const [all, said] = [marked.slice(marked.selected), marked.said(marked.selected)];
  box.remove();
  return { wrong, count, all, said };
}"""


def test_what_is_marked_points_at_what_was_sent(serve_once: Any, link: Any, new_page: Any) -> None:
    page = new_page()
    page.goto(link(serve_once(PAIRED)))
    for message in MESSAGES:
        tree = placed_tree(message)
        found = page.evaluate(EACH, [message, tree]) if len(message) < LONGEST - 1 else None
        if found is not None:
            assert found["wrong"] == [], message
            assert found["count"] > 0
    text = "**a** b *c*\n- d"
    crossing = page.evaluate(EACH, [text, placed_tree(text)])
    assert (crossing["all"], crossing["said"]) == ("a** b *c*\n- d", "a b c d")
