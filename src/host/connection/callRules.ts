import type { Tool } from '@modelcontextprotocol/client';
import type { ServerInfo } from '../sdk/serverInfo';
import type { ConnectionOptions } from './connectionOptions';

/**
 * Whether a call requests a task. Some tools require it, and long calls then escape the time limit of a call. In the modern
 * era the server decides.
 */
export function isTaskTool({ execution }: Tool, info: ServerInfo | undefined): boolean {
  const asksForTask = execution?.taskSupport === 'required' || execution?.taskSupport === 'optional';
  return asksForTask && info?.era === 'legacy' && info.capabilities.tasks?.requests?.tools?.call !== undefined;
}

/**
 * Whether settings allow to repeat a call of which it is not known whether it was carried out. That a tool only reads, or that
 * calling it twice has no more effect than calling it once, is the server's word and not a proof.
 */
export function isReplayable({ annotations = {} }: Tool, { replaySafeCalls }: ConnectionOptions): boolean {
  const [reads, isIdempotent] = [annotations.readOnlyHint === true, annotations.idempotentHint === true];
  switch (replaySafeCalls?.() ?? 'readOnlyAndIdempotent') {
    case 'readOnlyAndIdempotent':
      return reads && isIdempotent;
    case 'readOnlyOrIdempotent':
      return reads || isIdempotent;
    case 'never':
      return false;
  }
}
