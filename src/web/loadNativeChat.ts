/** The editor's own MCP client is served over a socket, and a browser listens on none: chat has `@mcp` and the tools. */
export class NativeChatLoader {
  close(): Promise<void> {
    return Promise.resolve();
  }

  dispose(): void {}
}
