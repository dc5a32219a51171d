"""The error of backups and restores."""


class BackupError(Exception):
    """Nothing was written or restored; the message says why, for the operator at the shell."""
