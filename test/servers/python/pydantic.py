"""Stands for what a new server takes from pydantic."""


def Field(description=""):
    return {"description": description}
