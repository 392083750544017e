import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import {
  type CallToolResult,
  completable,
  createMcpHandler,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  McpServer,
  type McpServerFactory,
  type ServerNotifier,
} from '@modelcontextprotocol/server';
import * as z from 'zod';

/** A server of the modern era (2026-07-28), and of that one only: a legacy `initialize` is refused with 400. */
export class ModernEndpoint {
  private readonly handler = createMcpHandler(
    modernServer(() => this.handler.notify),
    { legacy: 'reject' },
  );

  private readonly open = new Set<ServerResponse>();

  /** Breaks off all answers that are still being sent: streams of changes, above all. */
  breakStreams(): void {
    for (const response of this.open) response.destroy();
  }

  async handle(request: IncomingMessage, response: ServerResponse, body: string): Promise<void> {
    const aborter = new AbortController();
    this.open.add(response);
    response.on('close', () => {
      this.open.delete(response);
      aborter.abort();
    });
    const answer = await this.handler.fetch(
      new Request(`http://${request.headers.host}${request.url}`, {
        method: request.method,
        headers: Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)]),
        body: request.method === 'POST' ? body : undefined,
        signal: aborter.signal,
      }),
    );
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    if (!answer.body) {
      response.end();
      return;
    }
    // A client that leaves a subscription breaks the stream off; that is its way to unsubscribe.
    await pipeline(Readable.fromWeb(answer.body as ReadableStream), response).catch(() => undefined);
  }
}

function modernServer(notifier: () => ServerNotifier): McpServerFactory {
  // The factory runs for each request, so what a tool changes is kept here.
  let changed = false;
  let note = 'A modern note';
  return () => {
    const server = new McpServer(
      { name: 'modern', title: 'Modern fixture', version: '1.0.0' },
      { instructions: 'A modern fixture for tests.', capabilities: { logging: {}, resources: { subscribe: true } } },
    );
    server.registerTool(
      'echo',
      { title: 'Echo', inputSchema: z.object({ text: z.string() }), annotations: { readOnlyHint: true } },
      ({ text }) => ({ content: [{ type: 'text', text }] }),
    );
    server.registerTool('change', { description: 'Adds a tool and says that the list changed' }, () => {
      changed = true;
      notifier().toolsChanged();
      return { content: [{ type: 'text', text: 'changed' }] };
    });
    server.registerTool(
      'write',
      { description: 'Changes the note', inputSchema: z.object({ text: z.string() }) },
      args => {
        note = args.text;
        notifier().resourceUpdated('modern://notes/today');
        return { content: [{ type: 'text', text: 'written' }] };
      },
    );
    server.registerTool('log', { inputSchema: z.object({ text: z.string() }) }, async ({ text }, ctx) => {
      await ctx.mcpReq.log('info', text, 'log');
      return { content: [{ type: 'text', text: 'logged' }] };
    });
    server.registerTool(
      'list-roots',
      { description: 'Answers with the roots of the client' },
      (ctx): CallToolResult | InputRequiredResult => {
        const answer = inputResponse(ctx.mcpReq.inputResponses, 'roots');
        if (answer.kind !== 'roots') return inputRequired({ inputRequests: { roots: inputRequired.listRoots() } });
        return { content: [{ type: 'text', text: JSON.stringify(answer.roots) }] };
      },
    );
    server.registerTool(
      'ask',
      { description: 'Asks the person what `params` says', inputSchema: z.object({ params: z.looseObject({}) }) },
      ({ params }, ctx): CallToolResult | InputRequiredResult => {
        const answer = inputResponse(ctx.mcpReq.inputResponses, 'asked');
        if (answer.kind === 'elicit') return { content: [{ type: 'text', text: JSON.stringify(answer) }] };
        return inputRequired({ inputRequests: { asked: { method: 'elicitation/create', params } as never } });
      },
    );
    if (changed) {
      server.registerTool('after-change', {}, () => ({ content: [{ type: 'text', text: 'after-change' }] }));
    }
    server.registerPrompt(
      'greet',
      {
        title: 'Greet',
        argsSchema: z.object({
          name: completable(z.string(), typed => ['Ada', 'Alan', 'Grace'].filter(n => n.startsWith(typed))),
        }),
      },
      ({ name }) => ({ messages: [{ role: 'user', content: { type: 'text', text: `Greet ${name}` } }] }),
    );
    server.registerResource('note', 'modern://notes/today', { title: 'Note', mimeType: 'text/plain' }, uri => ({
      contents: [{ uri: uri.href, mimeType: 'text/plain', text: note }],
    }));
    return server;
  };
}
