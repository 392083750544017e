import { type McpServer, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { NOT_FOUND } from '../base/errors';
import type { Notebook } from './notebook';

/** The extension for events (SEP-3415, a draft). */
export const EVENTS = 'io.modelcontextprotocol/events';

const NEXT_POLL_MS = 2_000;
const NAME = 'note.added';

const type = {
  name: NAME,
  description: 'A note was added to the notebook.',
  delivery: ['poll'],
  inputSchema: {
    type: 'object',
    properties: { contains: { type: 'string', description: 'Only notes with this in their name' } },
  },
  payloadSchema: { type: 'object', properties: { name: { type: 'string' } } },
};

const pollParams = z.object({
  name: z.string(),
  arguments: z.object({ contains: z.string().optional() }).default({}),
  cursor: z.string().nullish(),
  maxEvents: z.number().int().positive().default(50),
});

/** One type of events, which clients poll: the notes that were added. A position is an index in the log. */
export function registerEvents(server: McpServer, notebook: Notebook): void {
  server.server.setRequestHandler('events/list', { params: z.object({}) }, () => ({ events: [type] }));
  server.server.setRequestHandler('events/poll', { params: pollParams }, params => {
    if (params.name !== NAME)
      throw new ProtocolError(NOT_FOUND, `There are no events ${params.name}`, { kind: 'event' });
    const { log } = notebook;
    const from = params.cursor == null ? log.length : Number(params.cursor);
    if (!Number.isInteger(from)) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Unknown cursor');
    const to = Math.min(log.length, from + params.maxEvents);
    const events = log.slice(from, to).flatMap((line, index) => {
      const [timestamp = '', what, name = ''] = line.split(' ');
      if (what !== 'added' || !name.includes(params.arguments.contains ?? '')) return [];
      return [{ eventId: `note-${from + index}`, name: NAME, timestamp, data: { name } }];
    });
    return { events, cursor: String(to), truncated: false, hasMore: to < log.length, nextPollMs: NEXT_POLL_MS };
  });
}
