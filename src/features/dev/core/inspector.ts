import { get } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { LOOPBACK } from './debugLaunch';

/** A list of what can be inspected has one entry of a few hundred characters. */
const MAX_LIST = 64 * 1024;

/** Delay before reconnecting when a session fails or reports no pause. */
const AGAIN_MS = 2_000;

/**
 * Lets a program run that still waits in Node's inspector, or is paused at its start, though a debugger is attached. One that
 * already runs is left alone. Resolves when it is no longer to be watched.
 *
 * @param isSeen whether the person sees that it is paused: then it stays so.
 * @param signal ends the watch.
 */
export async function letRun(port: number, isSeen: () => boolean, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const url = await inspectorUrl(port);
    const session = url && !signal.aborted ? join(url, isSeen, signal) : undefined;
    // However long a busy machine takes for it.
    await session?.joined;
    await delay(AGAIN_MS, undefined, { signal }).catch(() => undefined);
    session?.close();
  }
}

/** A session that says once what is to be done. `joined` resolves when all of it was answered, or nothing more will be. */
function join(url: string, isSeen: () => boolean, signal: AbortSignal): { joined: Promise<void>; close(): void } {
  const socket = new WebSocket(url);
  const { promise: joined, resolve } = Promise.withResolvers<void>();
  const send = (id: number, method: string) => socket.send(JSON.stringify({ id, method }));
  /** Events before the answer to `Debugger.enable` describe the earlier state. */
  let isEarlier = true;
  socket.onopen = () => {
    send(1, 'Debugger.enable');
    send(2, 'Runtime.runIfWaitingForDebugger');
  };
  socket.onmessage = ({ data }) => {
    const { id, method, params } = JSON.parse(String(data)) as Told;
    if (id === 1) isEarlier = false;
    if (id === 2) resolve();
    if (method !== 'Debugger.paused') return;
    const isAtStart = isEarlier || params?.reason === 'Break on start';
    if (isAtStart && !isSeen()) send(3, 'Debugger.resume');
  };
  // The next one may succeed; without any, the debugger decides alone.
  socket.onerror = () => {};
  socket.onclose = () => resolve();
  signal.addEventListener('abort', () => socket.close(), { once: true });
  return { joined, close: () => socket.close() };
}

/** A message of the Chrome DevTools Protocol. */
interface Told {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly reason?: string };
}

/** Where Node's inspector takes a session; undefined: it does not answer. */
function inspectorUrl(port: number): Promise<string | undefined> {
  return new Promise(resolve => {
    const request = get({ host: LOOPBACK, port, path: '/json/list' }, response => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
        if (text.length > MAX_LIST) request.destroy();
      });
      response.on('close', () => resolve(/"webSocketDebuggerUrl":\s*"(ws:[^"]+)"/.exec(text)?.[1]));
    });
    request.on('error', () => resolve(undefined));
  });
}
