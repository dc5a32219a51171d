"""Comments on blog articles."""
