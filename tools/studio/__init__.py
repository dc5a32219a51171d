"""A photo studio in code: scenes of clients' work, modelled and rendered with Blender's Cycles (`make photographs`).

Lengths are metres, angles degrees, colours `#RRGGBB`; X goes right, Y away from the camera, Z up. Nothing here is imported by the
site: it has the pictures in `assets/photographs` alone.
"""
