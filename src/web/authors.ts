// In place of: doors/authors

/** Web windows run no programs: there is nothing to test, and there are no files of servers to follow. */
export class DevServers {
  follow(): void {}
  news(): undefined {}
  notes(): readonly string[] {
    return [];
  }
  dispose(): void {}
}
