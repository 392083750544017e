// The floor: JSON lines over a pipe, written by hand, with nothing that MCP asks for.
import type { ChildProcess } from 'node:child_process';
import { inRepository } from '../../setup/paths';
import { spawnGroup, stopGroup } from '../../setup/processes';

export const wireServer = inRepository('out/test/bench/wire/server.js');

interface Answer {
  id?: number;
  result?: unknown;
  params?: { level: string; data: unknown };
}

/** Calls tools of the wire server. Requests of one tick are one write, as in the transport. */
export class RawClient {
  /** Takes the log messages of the server. */
  onLog: (level: string, data: unknown) => void = () => {};
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (result: unknown) => void>();
  #next = 0;
  #parts: Buffer[] = [];
  #queued = '';

  /** @param args for the wire server. */
  constructor(...args: string[]) {
    this.#child = spawnGroup(process.execPath, [wireServer, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#child.stdout?.on('data', (chunk: Buffer) => this.#read(chunk));
  }

  call(name: string, args: Record<string, unknown>): Promise<unknown> {
    return this.request('tools/call', { name, arguments: args });
  }

  request(method: string, params: object): Promise<unknown> {
    const id = this.#next++;
    if (!this.#queued) process.nextTick(() => this.#flush());
    this.#queued += `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;
    return new Promise(resolve => this.#waiting.set(id, resolve));
  }

  close(): Promise<void> {
    return stopGroup(this.#child);
  }

  #flush(): void {
    this.#child.stdin?.write(this.#queued);
    this.#queued = '';
  }

  #read(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      const part = chunk.subarray(start, end);
      start = end + 1;
      const line = this.#parts.length > 0 ? Buffer.concat([...this.#parts, part]) : part;
      this.#parts = [];
      this.#take(JSON.parse(line.toString()) as Answer);
    }
    if (start < chunk.length) this.#parts.push(chunk.subarray(start));
  }

  #take({ id, result, params }: Answer): void {
    if (id === undefined) {
      if (params) this.onLog(params.level, params.data);
      return;
    }
    this.#waiting.get(id)?.(result);
    this.#waiting.delete(id);
  }
}
