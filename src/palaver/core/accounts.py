"""Accounts, their tokens, sessions and rights: who may look at a deployment, and who may change it."""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from palaver.core.errors import InputError
from palaver.core.words import shortened

Role = Literal["member", "viewer", "reviewer", "owner"]

# From the least to the most that one may do; a member may do only what was granted study by study.
ROLES: tuple[Role, ...] = ("member", "viewer", "reviewer", "owner")
# The roles that can be granted in a single study.
GRANTED: tuple[Role, ...] = ("viewer", "reviewer")
# By what browsers and their systems are told apart; the first that fits. Most claim to be others, too.
BROWSERS = {"Edg/": "Edge", "OPR/": "Opera", "Firefox/": "Firefox", "FxiOS/": "Firefox"}
BROWSERS |= {"Chrome/": "Chrome", "CriOS/": "Chrome", "Safari/": "Safari"}
SYSTEMS = {"Android": "Android", "iPhone": "iPhone", "iPad": "iPad", "Windows": "Windows"}
SYSTEMS |= {"Mac OS X": "macOS", "CrOS": "ChromeOS", "Linux": "Linux"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """Somebody who may sign in, unless `disabled`. A session is good for one `generation`."""

    id: int
    name: str
    role: Role
    password_hash: str = field(repr=False)
    one_time: bool
    generation: int
    created: float
    disabled: float | None = None


@dataclass(frozen=True, slots=True)
class Rights:
    """What somebody may do: by their role everywhere, by what was granted in single studies."""

    role: Role
    # By the name of the study.
    granted: Mapping[str, Role] = field(default_factory=dict)

    def may(self, needed: Role, study: str | None = None) -> bool:
        """Whether they may do what asks for `needed`: everywhere, or in a study."""
        if allows(self.role, needed):
            return True
        granted = None if study is None else self.granted.get(study)
        return granted is not None and allows(granted, needed)

    @property
    def only(self) -> frozenset[str] | None:
        """The studies that they may look at; None for all."""
        return None if allows(self.role, "viewer") else frozenset(self.granted)

    def at_most(self, role: Role) -> "Rights":
        """The same rights, none of which is more than a role."""
        return Rights(
            self.role if self.role == "member" else lesser(self.role, role),
            {study: lesser(granted, role) for study, granted in self.granted.items()},
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """What an account may do in one study."""

    account_id: int
    account: str
    study: str
    title: str
    role: Role


@dataclass(frozen=True, slots=True, kw_only=True)
class BrowserSession:
    """A browser that is signed in; `seen` is true to some minutes, `address` without its last part."""

    id: int
    account_id: int
    opened: float
    seen: float
    agent: str
    address: str

    @property
    def browser(self) -> str:
        """What a person calls the browser: "Firefox on Linux"."""
        name = next((name for mark, name in BROWSERS.items() if mark in self.agent), "")
        system = next((name for mark, name in SYSTEMS.items() if mark in self.agent), "")
        if not name:
            return shortened(self.agent, 40) or "An unknown browser"
        return f"{name} on {system}" if system else name


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """An API token as a list shows it; its secret was shown once and is not kept."""

    id: int
    account_id: int
    account: str
    name: str
    role: Role
    created: float
    expires: float | None
    revoked: float | None
    used: float | None

    def state(self, now: float) -> Literal["in use", "expired", "revoked"]:
        """Whether it is still accepted, and if not, why."""
        if self.revoked is not None:
            return "revoked"
        return "expired" if self.expires is not None and self.expires <= now else "in use"


@dataclass(frozen=True, slots=True)
class NewToken:
    """A token that was just made, with the secret that will not be shown again."""

    token: Token
    secret: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Me:
    """The account that the token belongs to, and its role."""

    name: str
    role: Role


def role_named(name: str) -> Role:
    if name not in ROLES:
        raise InputError(f"A role must be one of {', '.join(ROLES)}; got '{name}'.")
    return name


def granted_role_named(name: str) -> Role:
    if name not in GRANTED:
        raise InputError(f"In a study one is {' or '.join(GRANTED)}; got '{name}'.")
    return role_named(name)


def allows(role: Role, needed: Role) -> bool:
    """Whether somebody with `role` may do what asks for `needed`."""
    return ROLES.index(role) >= ROLES.index(needed)


def lesser(one: Role, other: Role) -> Role:
    """The role that may do less."""
    return one if allows(other, one) else other


def folded_name(name: str) -> str:
    """The name as it is stored: the same in any case of letters."""
    return unicodedata.normalize("NFKC", name).strip().casefold()
