"""Modules that `npm run generate` writes."""
