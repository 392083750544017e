/** Reports are sent by a program, and web windows run none. */
export class Telemetry {
  use(): void {}
  watch(): undefined {}
  async close(): Promise<void> {}
  dispose(): void {}
}
