import { isObject, parsedJson } from '../../base/json';
import { phrase } from '../../base/phrase';
import { plain, visible } from '../../base/text';
import { t, window } from '../../editor/window';
import {
  anyResult,
  isPersonMethod,
  REDACTED,
  type ServerConnection,
  type ServerSet,
  type WantedRequest,
} from '../../host';
import { canTest, RECORDABLE } from '../authors';
import { confirmDestructive, type EditOnPage, tellRefused } from '../tools';
import type { Trust } from '../trust';
import { reachOf, sdkCall, shellCommand } from './core/copyAsCode';
import type { TraceRow } from './core/traceRows';
import type { TraceSource } from './core/traceSource';
import { exportTrace, type TraceBodies } from './traceFiles';
import type { MessageAction } from './traceMessages';
import type { PanelActions } from './tracePanel';

import vscode = require('vscode');

/** The version used with a server that has not said which it speaks. */
const DEFAULT_VERSION = '2025-11-25';
/** The member that each request has in the era without sessions (spec: basic#meta, 2026-07-28). */
const MODERN = /"io\.modelcontextprotocol\/protocolVersion"\s*:\s*"([\w.-]+)"/;

/** Actions for any trace: open and copy messages, and export all of them. */
export function readOnlyActions(source: TraceSource, bodies: TraceBodies): PanelActions {
  let selected: TraceRow | undefined;
  const named = (row: TraceRow) => {
    const name = [`${row.record.seq}`, row.method, row.subject].filter(Boolean).join(' ');
    return { name: visible(name, 80), text: exchange(row, source) };
  };
  return {
    of: ({ record, kind }) =>
      kind !== 'request' ? [] : selected && selected.record !== record ? ['select', 'compare'] : ['select'],
    act: async (action, row) => {
      if (action === 'compare' && selected) await bodies.compare(named(selected), named(row));
      else if (action === 'select') {
        selected = row;
        window.setStatusBarMessage(t('Selected. Choose another message to compare it with.'), 5_000);
      }
    },
    open: ({ record, kind, method }, text) => bodies.show(`${record.seq} ${method ?? ''} ${kind}`, text),
    copy: async text => {
      await vscode.env.clipboard.writeText(text);
      window.setStatusBarMessage(t('Copied'), 2_000);
    },
    export: async () => {
      const file = await exportTrace(source);
      if (file) window.setStatusBarMessage(t('Exported the trace. Secrets in it are redacted.'), 5_000);
    },
  };
}

/** A request with its answer, as one JSON text. */
function exchange({ record, pair }: TraceRow, source: TraceSource): string {
  const answer = source.records().find(({ seq }) => seq === pair);
  // An id is another with each request.
  const parts = [record, ...(answer ? [answer] : [])].map(one => {
    const value = parsedJson(source.readable(one));
    return isObject(value) ? { ...value, id: undefined } : source.readable(one);
  });
  return JSON.stringify(parts);
}

interface LiveServices {
  readonly servers: ServerSet;
  readonly trust: Pick<Trust, 'askForCall' | 'calls' | 'requests'>;
  /** Where a message is edited before it is sent again. */
  readonly editOnPage: EditOnPage;
  readonly source: TraceSource;
  readonly bodies: TraceBodies;
  /** Selects the first new row that matches. */
  readonly revealNext: (fits: (row: TraceRow) => boolean) => void;
}

/** Actions for messages of existing servers. */
export function liveActions(services: LiveServices): PanelActions {
  const any = readOnlyActions(services.source, services.bodies);
  return {
    ...any,
    of: row => [...ownActions(services, row), ...any.of(row)],
    act: (action, row) =>
      action === 'select' || action === 'compare' ? any.act(action, row) : act(services, any, action, row),
  };
}

function ownActions({ servers }: LiveServices, { record, kind, method }: TraceRow): readonly MessageAction[] {
  const isOurs = record.direction === 'sent' && (kind === 'request' || kind === 'notification');
  // A message that was cut can't be turned into a call or a test.
  if (!isOurs || record.text.length < record.size || !servers.get(record.server)) return [];
  if (kind === 'notification') return ['curl'];
  const test = canTest && method !== undefined && RECORDABLE.includes(method) ? (['test'] as const) : [];
  return canSendAgain(method) ? ['curl', 'sdk', 'send', ...test] : ['curl', 'sdk'];
}

async function act(
  services: LiveServices,
  { copy }: PanelActions,
  action: Exclude<MessageAction, 'compare' | 'select'>,
  row: TraceRow,
): Promise<void> {
  const { servers, source, revealNext } = services;
  const server = servers.get(row.record.server);
  const reach = server && reachOf(server.definition, text => server.redact(text));
  if (!server || !reach) return;
  const text = source.readable(row.record);
  if (action === 'curl') {
    const modern = MODERN.exec(text)?.[1];
    const protocolVersion = modern ?? server.info?.protocolVersion ?? DEFAULT_VERSION;
    return copy(
      shellCommand({ text, reach, protocolVersion, era: modern ? 'modern' : (server.info?.era ?? 'legacy') }),
    );
  }
  const message = parsedJson(text);
  // It has a number where a secret was.
  if (!isObject(message))
    throw new Error(t('This message can’t be sent again because a secret redacted from it is not text.'));
  const method = String(message.method);
  const params = ownParams(message.params);
  if (action === 'sdk') return copy(sdkCall({ method, params, reach }));
  if (action === 'test') {
    const outcome = outcomeOf(row, source);
    await vscode.commands.executeCommand('mcpHost.recordTest', { server: server.id, method, params, ...outcome });
    return;
  }
  if (!canSendAgain(method)) return;
  await sendAgain(services, { server, method, params }, () => {
    const last = source.records().at(-1)?.seq ?? 0;
    revealNext(
      ({ record: { seq, server: id, direction }, method: sent }) =>
        seq > last && id === server.id && direction === 'sent' && sent === method,
    );
  });
}

/** The outcome of a request, if its whole answer was kept. */
function outcomeOf({ pair }: TraceRow, source: TraceSource): object {
  const answer = source.records().find(({ seq }) => seq === pair);
  const value = answer && parsedJson(source.readable(answer));
  if (!isObject(value)) return {};
  return { outcome: 'error' in value ? { error: value.error } : { result: value.result } };
}

type Params = Record<string, unknown>;

/** A request that the editor sent, in the form in which it is to be sent again. */
interface RequestAgain {
  readonly server: ServerConnection;
  readonly method: WantedRequest['method'] | 'tools/call';
  /** Without secrets, and without what the SDK adds to each request. */
  readonly params: Params;
}

/** Whether a request of this method may be sent again. Some belong to a connection, or have a stream of their own. */
const canSendAgain = (method: string | undefined): method is RequestAgain['method'] =>
  method !== undefined && (method === 'tools/call' || isPersonMethod(method));

/** The parameters without those that belong to one request only (spec: basic#meta); the SDK adds its own. */
function ownParams(params: unknown): Params {
  if (!isObject(params)) return {};
  const { _meta, ...rest } = params;
  const own = Object.entries(isObject(_meta) ? _meta : {}).filter(
    ([name]) => name !== 'progressToken' && !name.startsWith('io.modelcontextprotocol/'),
  );
  return own.length > 0 ? { ...rest, _meta: Object.fromEntries(own) } : rest;
}

/**
 * Opens the parameters on a page, and sends what the person confirms. Tool calls go through `ToolCalls` like all others, so what
 * is denied or blocked stays so.
 * @param onSend called just before it is sent.
 */
export async function sendAgain(
  { trust, editOnPage }: Pick<LiveServices, 'editOnPage' | 'trust'>,
  { server, method, params }: RequestAgain,
  onSend: () => void,
): Promise<void> {
  const subject = typeof params.name === 'string' ? params.name : method;
  const value = await editOnPage({
    title: plain(visible(subject, 80)),
    schema: { type: 'object' },
    value: params,
    submit: t('Send {0} to {1}', visible(method, 80), server.name),
  });
  if (!value) return;
  if (JSON.stringify(value).includes(REDACTED)) {
    throw new Error(
      t(
        '{0} was not sent to MCP server "{1}": first replace {2} with the redacted values.',
        method,
        server.name,
        REDACTED,
      ),
    );
  }
  if (method === 'tools/call') return callAgain(trust, server, value, onSend);
  onSend();
  const requests = trust.requests.as({ origin: 'trace' })(server);
  await requests.forward({ method, params: value }, phrase('send {0} again', visible(method, 80)), anyResult);
}

async function callAgain(
  { calls, askForCall }: LiveServices['trust'],
  server: ServerConnection,
  { name, arguments: given }: Params,
  onSend: () => void,
): Promise<void> {
  const tool = server.offers('tools').find(tool => tool.name === name);
  if (!tool) {
    throw new Error(
      t(
        'MCP server "{0}" has no tool {1} at the moment. Start the server, or use another tool.',
        server.name,
        visible(name, 80),
      ),
    );
  }
  const args = isObject(given) ? given : {};
  const wanted = { server, tool, args, origin: 'trace' as const };
  // A person who edited the call has approved it, unless the tool has changed.
  const call = await calls.approve(wanted, askForCall);
  if (!call.approved) return call.by === 'rule' ? tellRefused({ server, tool }, call) : undefined;
  if (!(await confirmDestructive({ server, tool }, args))) return;
  onSend();
  const progress = window.setStatusBarMessage(
    t('$(sync~spin) Calling {0} on {1}', visible(tool.name, 80), server.name),
  );
  try {
    await call.run();
  } finally {
    progress.dispose();
  }
}
