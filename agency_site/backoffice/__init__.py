"""Who works here and what they may do: accounts, sessions, rights, audit log, and the shell of the back office."""
