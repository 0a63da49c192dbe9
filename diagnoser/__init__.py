"""Diagnoser: a diagnosis assistant for the terminal."""

from typing import Any

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """The classifiers, loaded when they are asked for: they bring scikit-learn."""
    if name == "ComplexityAwareTreeClassifier":
        from diagnoser.classifier import ComplexityAwareTreeClassifier

        return ComplexityAwareTreeClassifier
    if name == "ComplexityAwareTreeClassifierCV":
        from diagnoser.tuning import ComplexityAwareTreeClassifierCV

        return ComplexityAwareTreeClassifierCV
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
