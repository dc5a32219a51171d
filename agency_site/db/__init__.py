"""Engine, session scopes, naming convention, the list of tables."""
