"""What a browser without scripts would send from a page: the successful controls of its form."""

from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"input", "br", "hr", "img", "link", "meta"}
Attributes = dict[str, str | None]


@dataclass
class Control:
    """One control: its tag, its attributes, and the label around it."""

    tag: str
    attributes: Attributes
    labelled: bool
    options: list[Attributes] = field(default_factory=list)
    text: str = ""

    @property
    def name(self) -> str:
        """The name under which it is sent; "" where it is not."""
        return self.attributes.get("name") or ""

    @property
    def value(self) -> str | None:
        """What it sends; None if it sends nothing."""
        if "disabled" in self.attributes or not self.name or "form" in self.attributes:
            return None
        if self.tag == "select":
            chosen = [option for option in self.options if "selected" in option]
            return ((chosen or self.options)[0]).get("value") or ""
        if self.tag == "textarea":
            # The parser of a browser drops a line break right after the tag.
            return self.text.removeprefix("\n")
        if (
            self.attributes.get("type") in ("radio", "checkbox")
            and "checked" not in self.attributes
        ):
            return None
        return self.attributes.get("value") or ""


class Reading(HTMLParser):
    """The controls, ids and words of a page; what stands in a template is left out."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.controls: list[Control] = []
        self.ids: list[str] = []
        self.tags: list[tuple[str, Attributes]] = []
        self.words = ""
        self._labels = self._templates = 0
        self.feed(html)

    @property
    def sent(self) -> list[tuple[str, str]]:
        """The names and values that the form would send."""
        return [(c.name, c.value) for c in self.controls if c.value is not None]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what matters of a tag."""
        attributes = dict(attrs)
        self._templates += tag == "template"
        if self._templates:
            return
        self._labels += tag == "label"
        self.tags.append((tag, attributes))
        if attributes.get("id"):
            self.ids.append(str(attributes["id"]))
        if tag in ("input", "select", "textarea"):
            self.controls.append(Control(tag, attributes, self._labels > 0))
        elif tag == "option":
            self.controls[-1].options.append(attributes)

    def handle_endtag(self, tag: str) -> None:
        """Leave a label or a template."""
        self._templates -= tag == "template"
        self._labels -= tag == "label" and not self._templates

    def handle_data(self, data: str) -> None:
        """Collect the words, and what stands in a text area."""
        if self._templates:
            return
        self.words += data
        if self.tags and self.tags[-1][0] == "textarea" and self.controls[-1].tag == "textarea":
            self.controls[-1].text += data if not self.controls[-1].text else ""
