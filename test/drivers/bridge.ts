// The test process's end of the bridge into the extension host (bridge/bridge.cjs is the other).
import * as net from 'node:net';
import * as readline from 'node:readline';
import { defaultTimeoutMs } from './dom';

type VSCode = typeof import('vscode');

interface Pending {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

export class Bridge {
  private readonly pending = new Map<number, Pending>();
  private next = 0;

  /** Waits until the extension host listens. @throws Error when it does not within `timeoutMs`. */
  static async connect(address: string, timeoutMs = 180_000): Promise<Bridge> {
    const end = Date.now() + timeoutMs;
    for (;;) {
      const socket = await connectOnce(address);
      if (socket instanceof net.Socket) return new Bridge(socket);
      if (Date.now() > end) throw new Error(`No extension host within ${timeoutMs / 1000} s: ${socket.message}`);
      await new Promise(resolve => setTimeout(resolve, 50));
    }
  }

  private constructor(private readonly socket: net.Socket) {
    const fail = () => {
      for (const { reject } of this.pending.values()) reject(new Error('The extension host went away.'));
      this.pending.clear();
    };
    socket.on('close', fail).on('error', fail);
    readline.createInterface({ input: socket }).on('line', line => {
      const { id, value, error } = JSON.parse(line) as { id: number; value: unknown; error?: string };
      const call = this.pending.get(id);
      this.pending.delete(id);
      if (error === undefined) call?.resolve(value);
      else call?.reject(new Error(error));
    });
  }

  /**
   * Runs a function in the extension host. Its source is sent: it sees nothing of what is around it here, only the
   * `vscode` module and its arguments. Arguments and result travel as JSON.
   */
  eval<A extends unknown[], R>(run: (vscode: VSCode, ...args: A) => R, ...args: A): Promise<Awaited<R>> {
    const id = ++this.next;
    return new Promise((resolve, reject) => {
      if (this.socket.destroyed) return reject(new Error('The extension host went away.'));
      this.pending.set(id, { resolve: value => resolve(value as Awaited<R>), reject });
      this.socket.write(`${JSON.stringify({ id, code: String(run), args })}\n`);
    });
  }

  /** Executes a command. Answers that are not JSON become null. */
  command(id: string, ...args: unknown[]): Promise<unknown> {
    return this.eval(
      async (vscode, commandId, commandArgs) => {
        const value: unknown = await vscode.commands.executeCommand(commandId, ...commandArgs);
        try {
          return JSON.parse(JSON.stringify(value ?? null)) as unknown;
        } catch {
          return null;
        }
      },
      id,
      args,
    );
  }

  /** Polls `condition` in the extension host until it returns something truthy. */
  async until<A extends unknown[], R>(condition: (vscode: VSCode, ...args: A) => R, ...args: A): Promise<Awaited<R>> {
    const end = Date.now() + defaultTimeoutMs;
    for (;;) {
      const value = await this.eval(condition, ...args);
      if (value) return value;
      if (Date.now() > end) throw new Error(`Not in time in the extension host: ${condition}`);
      await new Promise(resolve => setTimeout(resolve, 50));
    }
  }

  /**
   * The text of an output channel, as soon as it has any.
   * @param id `<publisher>.<name>.<channel>` for a log channel.
   */
  async output(id: string): Promise<string> {
    await this.command(`workbench.action.output.show.${id}`);
    return this.until(
      (vscode, wanted) =>
        vscode.workspace.textDocuments
          .find(({ uri }) => uri.scheme === 'output' && decodeURIComponent(uri.path) === wanted)
          ?.getText(),
      id,
    ) as Promise<string>;
  }

  close(): void {
    this.socket.destroy();
  }
}

function connectOnce(address: string): Promise<net.Socket | Error> {
  return new Promise(resolve => {
    const socket = net.connect(address, () => resolve(socket));
    socket.once('error', resolve);
  });
}
