"""The source-failure environment: knowledge base, regimes, failed observations."""
