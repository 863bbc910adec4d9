"""Who sits on the seats: models, the embedded model, people, scripts and deterministic checks."""
