"""What a backup or a restore ends with when it cannot be done."""


class BackupError(Exception):
    """Why nothing was written or restored, for the person at the shell."""
