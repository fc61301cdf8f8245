"""The files of the ChatEvaluationPlatform (ABC-Eval), read as they are.

What they say is turned into plain entries of a study file, or into dialogues and answers. Nothing
here knows the store or the study: `studies.chateval` and `studies.importing` put things together.
"""
