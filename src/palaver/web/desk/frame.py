"""What stands around every page of the desk, the study of an address, and the page for a refusal."""

from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from starlette.requests import Request

from palaver.crowds.panels.prolific import PROLIFIC
from palaver.studies.review import views
from palaver.studies.review.progress import StudyProgress
from palaver.studies.run.deployment import RunningStudy
from palaver.web.desk.accounts import Person, deployment_of, root_of
from palaver.web.desk.parts import plain
from palaver.web.formatting import with_query
from palaver.web.security import csrf_token
from palaver.web.shell import Direction

Section = Literal[
    "",
    "studies",
    "dialogues",
    "raters",
    "tasks",
    "challenges",
    "boards",
    "audit",
    "settings",
]
Tab = Literal[
    "Overview",
    "Participants",
    "Dialogues",
    "Judgements",
    "Raters",
    "Results",
    "Recruiting",
    "Links",
    "Edit",
    "Versions",
    "Rehearse",
]
# The pages about a study's file, which have one tab together, and what they are called there.
ABOUT_FILE: dict[Tab, str] = {"Edit": "Edit", "Versions": "Versions", "Rehearse": "Try it"}

# Section → its word, its address and its icon.
NAVIGATION: dict[Section, tuple[str, str, str]] = {
    "studies": ("Studies", "/desk", "flask-conical"),
    "dialogues": ("Dialogues", "/desk/dialogues", "messages-square"),
    "raters": ("Raters", "/desk/raters", "users"),
    "tasks": ("Tasks", "/desk/tasks", "list-checks"),
    "challenges": ("Challenges", "/desk/challenges", "flag"),
    "boards": ("Boards", "/desk/boards", "trophy"),
    "audit": ("Audit", "/desk/audit", "scroll-text"),
    "settings": ("Settings", "/desk/settings", "settings"),
}
# What belongs to no study, and so to nobody who was granted single studies.
EVERYWHERE: tuple[Section, ...] = ("raters", "tasks", "challenges")


@dataclass(frozen=True, slots=True, kw_only=True)
class NavItem:
    """One entry of the researcher's navigation; `icon` is a lucide name, `count` how much is there."""

    label: str
    url: str
    icon: str = ""
    count: int | None = None
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
    # The study that a page belongs to, and its pages.
    study: StudyProgress | None = None
    tabs: tuple[NavItem, ...] = ()
    # The pages that share the tab of this one.
    parts: tuple[NavItem, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusalPage:
    """A page that says what happened instead of what was asked for."""

    template: ClassVar[str] = "desk/refusal.html"
    shell: DeskShell
    heading: str
    detail: str


def shell(request: Request, person: Person | None, title: str, section: Section = "") -> DeskShell:
    """The frame of a page for this person; without a person there is no navigation."""
    read_only = deployment_of(request).store.read_only
    root = root_of(request)
    shown = [s for s in NAVIGATION if person and _is_for(person, s, read_only=read_only)]
    return DeskShell(
        title=title,
        nav=tuple(_item(root, s, current=s == section) for s in shown),
        csrf=csrf_token(request),
        person=person.name if person else "",
        sign_out_url=f"{root}/desk/sign-out" if person and not read_only else None,
        read_only=read_only,
    )


def _is_for(person: Person, section: Section, *, read_only: bool) -> bool:
    """Whether this person has use for a section; a copy has no settings and nobody signs in."""
    if section == "audit":
        return person.may("owner")
    if section in EVERYWHERE and not person.may("viewer"):
        return False
    return not (read_only and section == "settings")


async def study_shell(
    request: Request, person: Person, study: StudyProgress, title: str, tab: Tab
) -> DeskShell:
    """The frame of a page of a study: with its name, its state and its tabs."""
    store, root = deployment_of(request).store, root_of(request)
    address = f"{root}/desk/studies/{study.name}"
    pages: dict[Tab, tuple[str, int | None]] = {
        "Overview": (address, None),
        "Participants": (f"{address}/participants", study.people),
        "Dialogues": (with_query(f"{root}/desk/dialogues", study=study.name), study.dialogues),
        "Judgements": (f"{address}/judgements", study.labels),
        "Raters": (f"{address}/raters", study.raters),
        "Results": (f"{address}/results", None),
    }
    served = deployment_of(request).studies.get(study.name)
    if served is not None and served.definition.crowd.kind == PROLIFIC.name and not store.read_only:
        pages["Recruiting"] = (f"{address}/recruiting", None)
    if study.served and not store.read_only and person.may("reviewer", study.name):
        pages["Links"] = (f"{address}/links", None)
    about = _about_file(person, study, address, read_only=store.read_only)
    tabs = [
        NavItem(label=label, url=url, count=count, current=label == tab)
        for label, (url, count) in pages.items()
    ]
    if about:
        first = next(iter(about.values()))
        tabs.append(NavItem(label="Study file", url=first, current=tab in ABOUT_FILE))
    parts = tuple(
        NavItem(label=ABOUT_FILE[each], url=url, current=each == tab) for each, url in about.items()
    )
    return replace(
        shell(request, person, title, "studies"),
        study=study,
        tabs=tuple(tabs),
        parts=parts if tab in ABOUT_FILE else (),
    )


def _about_file(
    person: Person, study: StudyProgress, address: str, *, read_only: bool
) -> dict[Tab, str]:
    """The pages about a study's file that are open to somebody; only a served one can be edited."""
    if read_only or not person.may("reviewer", study.name):
        return {}
    versions: dict[Tab, str] = {"Versions": f"{address}/versions"}
    if not study.served:
        return versions
    return {"Edit": f"{address}/edit", **versions, "Rehearse": f"{address}/rehearsal"}


async def find_study(request: Request) -> StudyProgress:
    """The study that the address names, with its progress; MissingError if there is none."""
    deployment, name = deployment_of(request), plain(request.path_params["study"])
    return await deployment.store.read(
        lambda c: views.find_study(c, deployment.served, name, now=deployment.clock.now())
    )


def served_study(request: Request, name: str) -> RunningStudy | None:
    """The study as it is served now; None if only its data are here."""
    return deployment_of(request).studies.get(name)


def _item(root: str, section: Section, *, current: bool) -> NavItem:
    label, path, icon = NAVIGATION[section]
    return NavItem(label=label, url=root + path, icon=icon, current=current)
