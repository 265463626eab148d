"""The proof from outside that people are told: what a stack sent, seen by the providers that it called."""
