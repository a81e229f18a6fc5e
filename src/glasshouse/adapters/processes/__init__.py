"""The port Processes on Linux: a supervisor over each run, a marker in its environment, and /proc to find who belongs.

supervisor   a run's first process: ends all that is below it when the program has ended, or the server died
launcher     writes the supervisor to disk as one executable file
proc         the processes of this machine as /proc shows them
supervised   which of them belong to a run, and their end
"""

from glasshouse.adapters.processes.launcher import LauncherUnusable
from glasshouse.adapters.processes.supervised import SupervisedProcesses

__all__ = ["LauncherUnusable", "SupervisedProcesses"]
