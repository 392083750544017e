/** Scripts run in processes, which web windows do not have, so models are not asked to write any. */
export class Scripts {
  async run(): Promise<{ readonly text: string; readonly failed: true }> {
    return { text: 'Scripts do not run in web windows.', failed: true };
  }
}
