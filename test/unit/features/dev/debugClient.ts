import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

interface Message {
  readonly type: 'event' | 'response';
  readonly event?: string;
  readonly request_seq?: number;
  readonly success?: boolean;
  readonly body?: Record<string, unknown>;
}

/** The first Python on this machine that has debugpy, which Debian's package `python3-debugpy` adds to `/usr/bin/python3`. */
export function pythonWithDebugpy(): string | undefined {
  const candidates = process.platform === 'win32' ? ['python'] : ['python3', '/usr/bin/python3'];
  return candidates.find(one => spawnSync(one, ['-c', 'import debugpy'], { stdio: 'ignore' }).status === 0);
}

/** A client of the Debug Adapter Protocol, as far as a breakpoint needs one. */
export class DebugClient {
  readonly ended: Promise<unknown>;
  #seq = 0;
  #rest = Buffer.alloc(0);
  readonly #seen: Message[] = [];
  readonly #waiting = new Set<() => void>();

  private constructor(private readonly socket: Socket) {
    this.ended = new Promise(resolve => socket.once('close', resolve));
    socket.on('error', () => {}).on('data', chunk => this.#read(chunk));
  }

  /** Attaches, with one breakpoint, and lets the program run. */
  static async attach(port: number, path: string, line: number): Promise<DebugClient> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    const client = new DebugClient(socket);
    await client.#request('initialize', { adapterID: 'debugpy', pathFormat: 'path', linesStartAt1: true });
    const attached = client.#request('attach', { justMyCode: true });
    await client.#until(({ event }) => event === 'initialized');
    await client.#request('setBreakpoints', { source: { path }, breakpoints: [{ line }] });
    await client.#request('configurationDone', {});
    await attached;
    return client;
  }

  /** The line at which it stopped. */
  async stoppedAt(): Promise<number> {
    const [{ line }] = (await this.#stack()) as [{ line: number }];
    return line;
  }

  async resume(): Promise<void> {
    await this.#request('continue', { threadId: await this.#stoppedThread() });
  }

  end(): void {
    this.socket.destroy();
  }

  async #stoppedThread(): Promise<unknown> {
    return (await this.#until(({ event }) => event === 'stopped')).body?.threadId;
  }

  async #stack(): Promise<unknown> {
    return (await this.#request('stackTrace', { threadId: await this.#stoppedThread() })).body?.stackFrames;
  }

  async #request(command: string, args: object): Promise<Message> {
    const seq = ++this.#seq;
    const text = JSON.stringify({ seq, type: 'request', command, arguments: args });
    this.socket.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
    const response = await this.#until(({ request_seq }) => request_seq === seq);
    if (!response.success) throw new Error(`${command}: ${JSON.stringify(response)}`);
    return response;
  }

  /** The first message of this kind, also one that has come before. */
  #until(is: (message: Message) => boolean): Promise<Message> {
    return new Promise(resolve => {
      const look = () => {
        const found = this.#seen.find(is);
        if (!found) return;
        this.#waiting.delete(look);
        resolve(found);
      };
      this.#waiting.add(look);
      look();
    });
  }

  #read(chunk: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    for (;;) {
      const header = /^Content-Length: (\d+)\r\n\r\n/.exec(this.#rest.toString('latin1', 0, 100));
      const end = header ? header[0].length + Number(header[1]) : Number.POSITIVE_INFINITY;
      if (this.#rest.length < end) return;
      this.#seen.push(JSON.parse(this.#rest.toString('utf8', header![0].length, end)) as Message);
      this.#rest = this.#rest.subarray(end);
      for (const look of [...this.#waiting]) look();
    }
  }
}
