"""What an address of recruiting names, and what becomes of an action that does not work out."""

from dataclasses import dataclass

from starlette.requests import Request

from palaver.core.errors import ConflictError, InputError, PanelError
from palaver.core.recruiting.recruitments import Recruitment
from palaver.studies.recruiting.overview import recruitment_of
from palaver.studies.review.progress import StudyProgress
from palaver.studies.run.deployment import RunningStudy
from palaver.web.desk.accounts import deployment_of, root_of
from palaver.web.desk.frame import find_study
from palaver.web.desk.parts import plain
from palaver.web.security import public_base

RECRUITING = "/desk/studies/{study}/recruiting"
RECRUITMENT = RECRUITING + "/{recruitment}"
# What an action may end with that whoever asked for it can act on.
FAILURES = (InputError, ConflictError, PanelError)


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedRecruitment:
    """The recruitment of an address, its study, and where its pages are."""

    study: StudyProgress
    running: RunningStudy | None
    recruitment: Recruitment
    all_url: str

    @property
    def address(self) -> str:
        return f"{self.all_url}/{self.recruitment.key}"


async def asked_recruitment(request: Request) -> AskedRecruitment:
    """The recruitment that the address names; MissingError if the study has none such."""
    deployment, study = deployment_of(request), await find_study(request)
    key = plain(request.path_params["recruitment"])
    found = await deployment.store.read(lambda c: recruitment_of(c, study.id, key))
    return AskedRecruitment(
        study=study,
        running=deployment.studies.get(study.name),
        recruitment=found,
        all_url=recruiting_url(request, study.name),
    )


def recruiting_url(request: Request, study: str) -> str:
    """Where the recruiting of a study is at the desk."""
    return f"{root_of(request)}/desk/studies/{study}/recruiting"


def base_of(request: Request) -> str:
    """The address people reach this server at."""
    return public_base(request, request.app.state.settings.public_url)
