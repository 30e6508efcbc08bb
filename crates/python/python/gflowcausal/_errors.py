"""Exceptions: one class for each kind of error, with the words of the command line."""

from __future__ import annotations


class GFlowCausalError(Exception):
    """Why there is no result.

    The text says what and where, and what helps; ``code`` names the kind for programs, ``fix`` is the remedy alone.

    >>> import gflowcausal
    >>> try:
    ...     gflowcausal.discover("no-such-file.csv")
    ... except gflowcausal.GFlowCausalError as error:
    ...     error.code
    'not-found'
    """

    code: str
    fix: str | None

    def __init__(self, message: str, code: str = "error", fix: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.fix = fix

    def __str__(self) -> str:
        message = str(self.args[0])
        return message if self.fix is None else f"{message}\n  help: {self.fix}"

    def also_called(self, name: str | None) -> GFlowCausalError:
        """The same error, with what others call its cause in brackets behind the message."""
        return self if name is None else type(self)(f"{self.args[0]} ({name})", self.code, self.fix)

    def __reduce__(self) -> tuple[type[GFlowCausalError], tuple[str, str, str | None]]:
        return type(self), (str(self.args[0]), self.code, self.fix)


class GFlowCausalWarning(UserWarning):
    """What the command line warns of: data that may mislead, or probabilities that are not to be relied on.

    ``code`` names the kind, so that one kind can be distinguished from another.
    """

    code: str

    def __init__(self, message: str, code: str = "warning") -> None:
        super().__init__(message)
        self.code = code


class InputError(GFlowCausalError, ValueError):
    """What was given is at fault, and not the system."""


class InternalError(GFlowCausalError):
    """A bug in this package: please report it."""


class NotFittedError(GFlowCausalError, ValueError, AttributeError):
    """A result was asked for before ``fit``."""


class MissingPackageError(GFlowCausalError, ImportError):
    """An optional package is not installed."""


class ArgumentError(InputError):
    """An argument that says nothing sensible."""


class ReadError(InputError):
    """A table that cannot be read."""


class ReadOptionError(InputError):
    """An option about a table that says nothing sensible."""


class SimulationError(InputError):
    """A simulation that cannot be made."""


class GraphFileError(InputError):
    """A graph file that cannot be read."""


class GraphError(InputError):
    """Two graphs that cannot be compared, or a graph that is not what is needed."""


class GraphWriteError(InputError):
    """A graph that a file format cannot hold."""


class UnknownFormatError(InputError):
    """A file name that does not say the format."""


class KnowledgeFileError(InputError):
    """A knowledge file that cannot be read."""


class KnowledgeError(InputError):
    """Constraints that cannot be satisfied."""


class ScoreError(InputError):
    """A score that cannot be made of these data."""


class NoVarianceError(ScoreError):
    """A column whose variance is not a finite number."""


class NeedsNumbersError(InputError):
    """A score that needs numbers in every column."""


class OrdersOnlyError(InputError):
    """A score that has no value for a graph."""


class NeedsRowsError(InputError):
    """An option that needs the rows, where only means and covariances are given."""


class CombinationError(InputError):
    """Two options that make no sense together."""


class OtherWalkError(InputError):
    """A walk that the method has no use for."""


class NoEffectError(InputError):
    """An option that nothing would read."""


class OptionValueError(InputError):
    """A number outside its range."""


class UnknownMethodError(InputError):
    """A method that is not in the registry."""


class NeedsDecomposableError(InputError):
    """A method that needs a score of another kind."""


class TooManyVariablesError(InputError):
    """More variables than a method can hold."""


class DoctorError(InputError):
    """Data that make no sense for causal discovery."""


class TransformError(InputError):
    """A column cannot be transformed as was asked for."""


class UnknownNameError(InputError):
    """A finding to ignore, or a column to leave out, that does not exist."""


class TableError(InputError):
    """Columns that make no table."""


class ExactPosteriorError(InputError):
    """More variables than the exact posterior takes."""


class ChainsError(InputError):
    """Chains that cannot start or go on."""


class CheckpointError(InputError):
    """A checkpoint that cannot be written, read or used for this run."""


class OtherDataError(InputError):
    """A policy of other data."""


class OtherTableError(InputError):
    """Data that the run to go on with did not begin with."""


class BuiltinOptionsError(InputError):
    """Options about reading for a built-in data set."""


class DamagedLogError(InputError):
    """A log of training that does not fit its checkpoint."""


class ConfigFileError(InputError):
    """A configuration file that cannot be used."""


class MissingValuesError(InputError):
    """Missing values that cannot be dealt with as asked."""


class MomentsError(InputError):
    """A value that is missing or infinite where numbers are needed."""


class TrainingOptionError(InputError):
    """Training settings that cannot be."""


class NeedsEquivalenceError(InputError):
    """A method that needs a score which equivalent graphs share."""


class NotScoreEquivalentError(InputError):
    """A score that equivalent graphs do not share, for a method that needs one."""


class MethodNeedsNumbersError(InputError):
    """A method that needs numbers in every column."""


class IndependenceTestError(InputError):
    """A test of independence that cannot be made of these data."""


class CannotSatisfyError(InputError):
    """Knowledge that a method cannot satisfy."""


class NeedsCompleteRowsError(InputError):
    """A method that reads rows, given some with missing values."""


class LingamError(InputError):
    """Columns without an order of independent causes."""


class DamagedRunError(InputError):
    """A file of a finished run that is not what the program wrote."""


class HoldsRunError(InputError):
    """A directory with files of another run."""


class RunInUseError(InputError):
    """A directory that somebody else writes a run to."""


class UnfinishedRunError(InputError):
    """A run whose files are not all written."""


class OtherVersionError(InputError):
    """A run of another version of the program."""


class NotInRunError(InputError):
    """Something to show that the run does not have."""


class NoEffectsError(InputError):
    """A score that says nothing about causal effects."""


class InterventionError(InputError):
    """An intervention that cannot be: a variable set twice, or to a value that it cannot have."""


class InterventionsError(InputError):
    """A column of interventions that is not there, or that names something else than variables."""


class TooManyValuesError(InputError):
    """Tables of probabilities that are too large for an exact sum."""


class PictureError(GFlowCausalError):
    """A picture or page that cannot be made."""


class TrainingError(GFlowCausalError):
    """Training that cannot start or go on."""


class NothingFoundError(GFlowCausalError):
    """Training was stopped before its first iteration."""


class FileError(GFlowCausalError):
    """A file or directory that the system refuses."""
