"""One module a picture: `build()` sets the scene and its camera."""
