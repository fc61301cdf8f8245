"""Accounts and their tokens: who may look at a deployment, and who may change it."""

import unicodedata
from dataclasses import dataclass, field
from typing import Literal

from palaver.core.errors import InputError

Role = Literal["viewer", "reviewer", "owner"]

# From the least to the most that one may do.
ROLES: tuple[Role, ...] = ("viewer", "reviewer", "owner")


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """Somebody who may sign in. A cookie is good for one `generation`."""

    id: int
    name: str
    role: Role
    password_hash: str = field(repr=False)
    one_time: bool
    generation: int
    created: float


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


def allows(role: Role, needed: Role) -> bool:
    """Whether somebody with `role` may do what asks for `needed`."""
    return ROLES.index(role) >= ROLES.index(needed)


def lesser(one: Role, other: Role) -> Role:
    """The role that may do less."""
    return one if allows(other, one) else other


def folded_name(name: str) -> str:
    """The name as it is stored: the same in any case of letters."""
    return unicodedata.normalize("NFKC", name).strip().casefold()
