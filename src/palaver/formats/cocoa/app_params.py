"""CoCoA's `app_params.json`: how a site collected dialogues, with every key that its code read."""

from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from palaver.core.errors import InputError
from palaver.formats.cocoa.shapes import checked

HUMAN = "human"
# "never", where a number of seconds is expected.
NEVER = -1
Quota = Annotated[int, Meta(ge=0)]


class StatusParams(msgspec.Struct):
    """How long a user may be in a state; -1 for as long as they like."""

    num_seconds: float = NEVER


class ModelParams(msgspec.Struct):
    """A system of the site; one of the type `human` is a pair of people."""

    active: bool = True
    type: str = ""
    checkpoint: str | None = None
    path: str | None = None
    prob: float | None = None
    decoding: Any = None


class AppParams(msgspec.Struct):
    """The settings of a site; what a file leaves out is what CoCoA took."""

    task_title: str
    instructions: str
    templates_dir: str = ""
    status_params: dict[str, StatusParams] = {}
    connection_timeout_num_seconds: float | None = None
    idle_timeout_num_seconds: float | None = None
    images_base: str | None = None
    icon: str | None = None
    end_survey: int | bool = 0
    skip_chat_enabled: bool = False
    quit_after: float | None = None
    debug: bool = False
    num_chats_per_scenario: dict[str, Quota] | Quota | None = None
    models: dict[str, ModelParams] = {}
    scenarios_json_file: str | None = None

    @property
    def partners(self) -> dict[str, ModelParams]:
        """Whom people met, by name; people meet each other where a quota or a model says so."""
        active = {name: model for name, model in self.models.items() if model.active}
        quotas = self.num_chats_per_scenario
        if isinstance(quotas, dict) and HUMAN in quotas:
            active.setdefault(HUMAN, ModelParams(type=HUMAN))
        return active or {HUMAN: ModelParams(type=HUMAN)}

    def chats_per_scenario(self, partner: str) -> int:
        """How many dialogues each scenario got with a partner."""
        quotas = self.num_chats_per_scenario
        if isinstance(quotas, dict):
            return quotas.get(partner, 1)
        return 1 if quotas is None else quotas


def read_app_params(path: Path) -> tuple[AppParams, frozenset[str]]:
    """The settings in a file, and its keys that CoCoA's code never read."""
    try:
        raw = msgspec.json.decode(path.read_bytes())
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from error
    except msgspec.DecodeError as error:
        raise InputError(f"{path} is not JSON: {error}.") from error
    if not isinstance(raw, dict):
        raise InputError(f"{path}: expected one JSON object with the settings of a site.")
    try:
        params = checked(raw, AppParams)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    known = {field.name for field in msgspec.structs.fields(AppParams)}
    return params, frozenset(raw) - known
