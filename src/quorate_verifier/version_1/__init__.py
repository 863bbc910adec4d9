"""The rules of version 1 of the five protocols, for the bundles that began under it; frozen."""
