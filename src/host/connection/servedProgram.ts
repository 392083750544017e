import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import { HostError } from '../../base/errors';
import { phrase } from '../../base/phrase';
import { visible } from '../../base/text';
import { isLocalAddress } from '../settings/entryTexts';
import type { StdioTransport } from '../transport/stdioTransport';

/** Between two looks whether a program listens yet. */
const LOOK_MS = 100;
const LOOK_LIMIT_MS = 2_000;
/** What stands before a program, as the proxy of a container does, answers so until that listens. */
const NOT_YET = new Set([502, 503, 504]);

/**
 * Starts a program that speaks MCP over HTTP, and resolves when it listens at its address of this machine. Rejects when it ends or
 * `signal` aborts, and, as a `HostError`, when something else answers there before: that would get what is meant for it.
 * @param program its process, of which nothing but the end and what it prints is of interest.
 */
export async function listening(
  program: StdioTransport,
  url: string,
  server: string,
  signal: AbortSignal,
): Promise<void> {
  const refuse = (reason: HostError['phrases']['reason'], remedy: HostError['phrases']['remedy']) =>
    new HostError({ code: 'INVALID_SETTINGS', server, action: phrase('start'), reason, ...(remedy && { remedy }) });
  if (!isLocalAddress(url))
    throw refuse(
      phrase('its address {0} is not one of this machine', visible(url, 200)),
      phrase('Correct "url" in its settings entry.'),
    );
  if (await answers(url, signal))
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
