// Measures one round of each row against the editor's own client. What it exports is called by native.bench.ts.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type * as vscode from 'vscode';
import { npmServerPath } from '../../servers/npm';
import { LoopWatch } from '../wire/loopWatch';
import { wireServer } from '../wire/rawClient';
import { inEditor, type NativeClient, type Register, Servers, type Side, startInEditor } from './clients';

const everything = [npmServerPath('everything'), 'stdio'];
const wire = [wireServer];
/** More starts of each server are not wanted. */
const most = 24;
const callsPerRound = { ours: 200, editors: 20 };
/** A list that is still to come after the storm, comes within this. */
const quietMs = 2_500;

/** One round of each row. */
export interface NativeBench {
  /** Milliseconds from the start of server-everything until its tools are there. */
  connect(side: Side): Promise<number>;
  /** Milliseconds for one call, from the extension host; of several in a row. */
  call(side: Side): Promise<number>;
  /** How often the list is asked for after 1,000 `list_changed` in a second. */
  storm(side: Side): Promise<number>;
  /** A flood of log messages: milliseconds until all are handled, and the longest turn of the event loop meanwhile. */
  flood(side: Side, count: number): Promise<{ tookMs: number; lagMs: number }>;
  /**
   * Milliseconds for one call of native chat. Each side has one server for all calls: ours is `wire` of the settings, which the
   * editor's client reaches through us.
   */
  chat(side: Side | 'bareHttp', tool: string, input: Record<string, unknown>): Promise<number>;
  /** Makes so many calls of `echo` in native chat, ten at once. */
  calls(side: Side | 'bareHttp', count: number): Promise<void>;
  /** Bytes that the extension host has resident and on its heap, after garbage collection. */
  memory(): { rss: number; heap: number };
  /** Milliseconds of a processor that the extension host has used. */
  processor(): number;
  /** Servers of the editor's own client: see `Servers`. */
  startNew: Servers['startNew'];
  stopNew: Servers['stopNew'];
}

export function activate(context: vscode.ExtensionContext, register: Register): NativeBench {
  const servers = new Servers([...new Array(most).fill(everything), ...new Array(most).fill(wire)], register);
  context.subscriptions.push(servers);
  const withServer = async <T>(side: Side, use: (client: NativeClient) => Promise<T>): Promise<T> => {
    const client = await servers.start(side, wire);
    try {
      return await use(client);
    } finally {
      await client.close();
    }
  };
  const inChat: Partial<Record<Side | 'bareHttp', Promise<NativeClient>>> = {};
  const chatClient = (side: Side | 'bareHttp') => {
    inChat[side] ??= side === 'editors' ? servers.start(side, wire) : startInEditor(inEditor[side]);
    return inChat[side];
  };
  return {
    chat: async (side, tool, input) => {
      const client = await chatClient(side);
      const start = performance.now();
      await client.call(tool, input);
      return performance.now() - start;
    },
    calls: async (side, count) => {
      const client = await chatClient(side);
      let left = count;
      const call = async () => {
        while (left-- > 0) await client.call('echo', { text: 'hello' });
      };
      await Promise.all(Array.from({ length: 10 }, call));
    },
    memory: () => {
      setFlagsFromString('--expose-gc');
      (runInNewContext('gc') as () => void)();
      const { rss, heapUsed } = process.memoryUsage();
      return { rss, heap: heapUsed };
    },
    processor: () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1_000;
    },
    startNew: (...given) => servers.startNew(...given),
    stopNew: () => servers.stopNew(),
    connect: async side => {
      const start = performance.now();
      const client = await servers.start(side, everything);
      const tookMs = performance.now() - start;
      // Not waited for: server-everything does not end by itself, and the editor gives it 10 s.
      void client.close();
      return tookMs;
    },
    call: side =>
      withServer(side, async client => {
        const calls = callsPerRound[side];
        for (let i = 0; i < calls / 4; i++) await client.call('echo', { text: 'hello' });
        const start = performance.now();
        for (let i = 0; i < calls; i++) await client.call('echo', { text: 'hello' });
        return (performance.now() - start) / calls;
      }),
    storm: side =>
      withServer(side, async client => {
        const before = numberOf(await client.call('lists', {}));
        await client.call('storm', { count: 1_000 });
        await new Promise(resolve => setTimeout(resolve, quietMs));
        return numberOf(await client.call('lists', {})) - before;
      }),
    flood: (side, count) =>
      withServer(side, async client => {
        await client.call('echo', { text: 'awake' });
        const watch = new LoopWatch();
        const start = performance.now();
        // The answer comes behind the messages, and both clients take them in order.
        await client.call('flood', { count });
        const tookMs = performance.now() - start;
        return { tookMs, lagMs: watch.end().lagMs };
      }),
  };
}

/** The text of a result, in the shape of either client. */
function numberOf(result: unknown): number {
  const [part] = (result as { content: { text?: string; value?: string }[] }).content;
  const number = Number(part?.text ?? part?.value);
  if (Number.isNaN(number)) throw new Error(`Not a number: ${JSON.stringify(result)}`);
  return number;
}
