"""What stands around every page of the desk, and the page for a refusal."""

from dataclasses import dataclass
from typing import ClassVar

from palaver.web.pages import Direction


@dataclass(frozen=True, slots=True, kw_only=True)
class NavItem:
    """One entry of the researcher's navigation; `icon` is a lucide name."""

    label: str
    url: str
    icon: str
    current: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DeskShell:
    """What stands around every researcher page; it takes the place of `Shell`."""

    title: str = "Palaver"
    lang: str = "en"
    dir: Direction = "ltr"
    nav: tuple[NavItem, ...] = ()
    csrf: str = ""
    person: str = ""
    sign_out_url: str | None = None
    preview: bool = False
    read_only: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusalPage:
    """A page that says what happened instead of what was asked for."""

    template: ClassVar[str] = "researcher/refusal.html"
    shell: DeskShell
    heading: str
    detail: str
    back_url: str
