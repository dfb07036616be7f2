"""What every section of the configuration has in common, and how its errors are worded."""

from difflib import get_close_matches
from typing import Any, get_args

from pydantic import BaseModel, ConfigDict, ValidationError


class Section(BaseModel):
    """Base of every section: immutable, and a misspelt key is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def one_line(error: ValidationError, model: type[BaseModel] | None = None) -> str:
    """Word the first error of a failed validation for the user: key, value, what is allowed.

    Args:
        error: what validation found.
        model: the model that was validated; with it, a misspelt key gets a suggestion.
    """
    errors = error.errors()
    # A misspelt key shows up twice, as unknown and as missing: what the user typed comes first.
    first = next((e for e in errors if e["type"] == "extra_forbidden"), errors[0])
    key = ".".join(str(part) for part in first["loc"])
    if first["type"] == "extra_forbidden":
        return f"{key}: unknown key{_hint(first['loc'], model) if model else ''}"
    if first["type"] == "missing":
        return f"{key}: this key is required"
    message = first["msg"].removeprefix("Value error, ")
    if first["type"] == "value_error":  # our own checks name the value themselves
        return f"{key}: {message}" if key else message
    return f"{key}: {first['input']!r} is not allowed: {message}"


def _hint(location: tuple[int | str, ...], model: Any) -> str:
    """Suggest the nearest known key, or list the allowed ones."""
    for part in location[:-1]:
        model = _model_under(model, part)
    if model is None:
        return ""
    known = list(model.model_fields)
    close = get_close_matches(str(location[-1]), known, n=1)
    return f"; did you mean {close[0]!r}?" if close else f"; known keys: {', '.join(known)}"


def _model_under(parent: Any, part: int | str) -> Any:
    """Return the model of the value at ``part``: of a field, or of every entry of a container."""
    annotation = parent
    if isinstance(parent, type) and issubclass(parent, BaseModel) and isinstance(part, str):
        annotation = parent.model_fields[part].annotation
    elif parent is not None:  # the parent was a dict or tuple of models
        annotation = next((a for a in get_args(parent) if _is_model(a)), None)
    return annotation


def _is_model(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)
