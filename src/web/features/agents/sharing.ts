/** Agents beside the editor can't reach a web window. */
export class AgentSharing {
  apply(): void {}

  async close(): Promise<void> {}

  dispose(): void {}
}
