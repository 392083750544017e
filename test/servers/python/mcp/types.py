def ToolAnnotations(read_only_hint=False, open_world_hint=True):
    return {"readOnlyHint": read_only_hint, "openWorldHint": open_world_hint}
