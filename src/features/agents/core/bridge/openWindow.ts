import { writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { attempt } from '../../../../base/errors';
import { parsedJson } from '../../../../base/json';
import { LineReader } from '../../../../base/processes';
import {
  BRIDGE_PROTOCOL,
  type Hello,
  inOrder,
  isOwnAddress,
  readCard,
  readCards,
  type Welcome,
  type WindowCard,
} from './windowCards';

/** A frozen window must not keep a bridge from another. */
const ANSWER_MS = 5_000;
const MAX_WELCOME_BYTES = 64 * 1024;

export interface WantedServers {
  readonly home: string;
  readonly cwd: string;
  readonly server?: string;
  /** The card of the one window that may be used. Absent: the best of all. */
  readonly card?: string;
}

/** A connection to the best window, after the greeting; or why there is none. */
export async function openWindow(wanted: WantedServers): Promise<Socket | string> {
  const refusals: string[] = [];
  const named = wanted.card === undefined ? undefined : readCard(wanted.card);
  const cards = wanted.card === undefined ? inOrder(readCards(wanted.home), wanted.cwd) : named ? [named] : [];
  for (const card of cards) {
    if (!isOwnAddress(card.address)) continue;
    const opened = await greet(card, wanted);
    if (typeof opened !== 'string') return opened;
    refusals.push(opened);
  }
  const none = wanted.card === undefined ? 'No window of the editor shares its MCP servers.' : 'The window is closed.';
  const [refusal = none] = refusals.filter(Boolean);
  return refusal;
}

/** Resolves with a reason if the window refuses, an empty one if it is gone. */
function greet({ address, secret }: WindowCard, { cwd, server }: WantedServers): Promise<Socket | string> {
  const hello: Hello = {
    bridge: BRIDGE_PROTOCOL,
    secret,
    pid: process.pid,
    cwd,
    ...(server !== undefined && { server }),
  };
  return new Promise(resolve => {
    const socket = connect(address);
    const over = (result: Socket | string) => {
      clearTimeout(timer);
      socket.removeAllListeners();
      if (result !== socket) socket.on('error', () => {}).destroy();
      resolve(result);
    };
    const timer = setTimeout(
      () => over('A window of the editor shares its MCP servers but does not answer.'),
      ANSWER_MS,
    );
    // The window says nothing after a line of its own before it has been answered: no byte of what follows is lost.
    const lines = new LineReader(MAX_WELCOME_BYTES, () => over(''));
    const take = (welcome: Welcome) => {
      if ('title' in welcome) {
        takeName(welcome.title);
        socket.write('{"titled":true}\n');
      } else if ('ok' in welcome) {
        takeName('mcp-host-bridge');
        socket.pause();
        over(socket);
      } else over(welcome.error ? String(welcome.error) : 'The window of the editor is of another version.');
    };
    socket.on('connect', () => socket.write(`${JSON.stringify(hello)}\n`));
    socket.on('data', chunk => {
      for (const line of lines.add(chunk)) take(Object(parsedJson(line)) as Welcome);
    });
    socket.on('error', () => over(''));
    socket.on('close', () => over(''));
  });
}

/** Not by `process.title`, which writes over the command line: the window reads that. */
function takeName(name: string): void {
  attempt(() => writeFileSync('/proc/self/comm', name)); // Only Linux has it, and only there the window asks for a name.
}
