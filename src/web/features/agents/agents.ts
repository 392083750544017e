/** Agents reach a window by a socket, and a browser listens on none. */
export class Agents {
  async close(): Promise<void> {}
}
