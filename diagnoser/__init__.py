"""Diagnoser: a diagnosis assistant for the terminal."""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_CLASSIFIERS = {
    "ComplexityAwareTreeClassifier": "diagnoser.classifier",
    "ComplexityAwareTreeClassifierCV": "diagnoser.tuning",
}


def __getattr__(name: str) -> Any:
    """The classifiers, loaded when they are asked for: they bring scikit-learn."""
    if name in _CLASSIFIERS:
        return getattr(import_module(_CLASSIFIERS[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
