import { lookup } from 'node:dns/promises';
import { request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import { HostError } from '../../base/errors';
import { phrase } from '../../base/phrase';
import { parseUrl, visible } from '../../base/text';
import { isLocalAddress } from '../settings/entryTexts';
import type { StdioTransport } from '../transport/stdioTransport';
import { START } from './serverState';

/** Between two looks whether a program listens yet. */
const LOOK_MS = 100;
const LOOK_LIMIT_MS = 2_000;
/** What stands before a program, as the proxy of a container does, answers so until that listens. */
const NOT_YET = new Set([502, 503, 504]);

/**
 * Starts a program that speaks MCP over HTTP, and resolves when it listens at its address of this machine. Rejects when it ends or
 * `signal` aborts, and, as a `HostError`, when something else listens there before: that would get what is meant for it.
 * @param program its process, whose input is not used.
 */
export async function startServing(
  program: StdioTransport,
  url: string,
  server: string,
  signal: AbortSignal,
): Promise<void> {
  const refuse = (reason: HostError['phrases']['reason'], remedy: HostError['phrases']['remedy']) =>
    new HostError({ code: 'INVALID_SETTINGS', server, action: START, reason, ...(remedy && { remedy }) });
  if (!isLocalAddress(url))
    throw refuse(
      phrase('its address {0} is not one of this machine', visible(url, 200)),
      phrase('Correct "url" in its settings entry.'),
    );
  if (await isTaken(url))
    throw refuse(
      phrase('something else answers at its address {0} already', visible(url, 200)),
      phrase(
        'End that program, which may be this server in another window. To have a free port chosen at each start, write {0} for it in "url" and "args".',
        '${port}',
      ),
    );
  const ended = new AbortController();
  program.onclose = () => ended.abort();
  await program.start();
  const either = AbortSignal.any([signal, ended.signal]);
  while (!either.aborted && !(await answers(url, either)))
    await delay(LOOK_MS, undefined, { signal: either }).catch(() => {});
  if (ended.signal.aborted) throw new SdkError(SdkErrorCode.ConnectionClosed, 'it ended before it listened');
  if (signal.aborted) throw new SdkError(SdkErrorCode.RequestTimeout, 'it does not listen yet');
}

/** Whether anything accepts connections there, whatever it says: it may say something else later. Never rejects. */
async function isTaken(url: string): Promise<boolean> {
  const { hostname = '', port = '' } = parseUrl(url) ?? {};
  const found = await lookup(hostname.replace(/^\[|\]$/g, ''), { all: true }).catch(() => []);
  const accepts = ({ address }: { address: string }) =>
    new Promise<boolean>(resolve => {
      const socket = connect({ host: address, port: Number(port || 80), timeout: LOOK_LIMIT_MS });
      const over = (isThere: boolean) => {
        socket.destroy();
        resolve(isThere);
      };
      socket.once('connect', () => over(true)).once('timeout', () => over(false));
      socket.on('error', () => over(false));
    });
  return (await Promise.all(found.map(accepts))).includes(true);
}

/** Whether anything that speaks HTTP answers. Never rejects. */
function answers(url: string, signal: AbortSignal): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const asked = request(url, { method: 'HEAD', signal, timeout: LOOK_LIMIT_MS, agent: false }, ({ statusCode = 0 }) => {
    resolve(!NOT_YET.has(statusCode));
    asked.destroy();
  });
  asked.once('timeout', () => asked.destroy());
  asked.on('error', () => resolve(false));
  asked.once('close', () => resolve(false));
  asked.end();
  return promise;
}
