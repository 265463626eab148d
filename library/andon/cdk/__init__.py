"""The build of a project by the CDK."""
