"""Who works here and what they may do: accounts, sessions, permissions, audit log, and the shell of the back office."""
