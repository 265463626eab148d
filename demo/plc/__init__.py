"""A press that speaks OPC UA: https://github.com/FreeOpcUa/opcua-asyncio."""
