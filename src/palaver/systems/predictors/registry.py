"""Kinds of models by name; other packages register under the entry point `palaver.predictors`."""

from palaver.core.registry import Registry
from palaver.systems.predictors.respondent import Respondent

PREDICTORS: Registry[type[Respondent]] = Registry(
    "kind of model",
    "palaver.predictors",
    {
        "torchserve": "palaver.systems.predictors.torchserve:TorchServe",
        "dynabench": "palaver.systems.predictors.dynabench:Dynabench",
        "askbatch": "palaver.systems.predictors.askbatch:AskBatch",
        "openai": "palaver.systems.predictors.openai:OpenAI",
        "http": "palaver.systems.predictors.http:Http",
        "handler": "palaver.systems.predictors.handler:HandlerModel",
        "command": "palaver.systems.predictors.command:Command",
    },
)
