"""Provers: parts of a story over a world, in memory or deployed, in which things go wrong as a seed says."""
