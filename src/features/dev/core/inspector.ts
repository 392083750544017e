import { get } from 'node:http';
import { LOOPBACK } from './debugLaunch';

/** A list of what can be inspected has one entry of a few hundred characters. */
const MAX_LIST = 64 * 1024;

/**
 * Lets a program run that still waits in Node's inspector, or is paused at its start, though a debugger is attached. One that
 * already runs is left alone.
 *
 * @param isSeen whether the person sees that it is paused: then it stays so.
 * @param signal ends the watch.
 */
export async function letRun(port: number, isSeen: () => boolean, signal: AbortSignal): Promise<void> {
  const url = await inspectorUrl(port);
  if (!url || signal.aborted) return;
  const socket = new WebSocket(url);
  const send = (id: number, method: string) => socket.send(JSON.stringify({ id, method }));
  /** What is told before `Debugger.enable` is answered has been so before. */
  let isEarlier = true;
  socket.onopen = () => {
    send(1, 'Debugger.enable');
    send(2, 'Runtime.runIfWaitingForDebugger');
  };
  socket.onmessage = ({ data }) => {
    const { id, method, params } = JSON.parse(String(data)) as Told;
    if (id === 1) isEarlier = false;
    if (method !== 'Debugger.paused') return;
    if (params?.reason === 'Break on start' || (isEarlier && !isSeen())) send(3, 'Debugger.resume');
  };
  // Without it, the debugger decides alone, as if this had not been tried.
  socket.onerror = () => {};
  signal.addEventListener('abort', () => socket.close());
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
