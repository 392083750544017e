/** A web window runs no processes. */
export class ProcessMeter {
  async look(): Promise<undefined> {
    return undefined;
  }
}

export async function processesOf(): Promise<never[]> {
  return [];
}
