/** The editor's own MCP client is served over a socket, and a browser listens on none: chat has `@mcp` and the tools. */
export class NativeChat {
  async definitions(): Promise<[]> {
    return [];
  }

  async close(): Promise<void> {}
}
