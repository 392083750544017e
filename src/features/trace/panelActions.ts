import vscode = require('vscode');

import { t, window } from '../../editor/window';
import type { ServerSet } from '../../host';
import { shellCommand } from './core/curl';
import { sdkCall } from './core/sdkCall';
import { type Reach, reachOf } from './core/secretPlaceholders';
import type { TraceRow } from './core/traceRows';
import type { TraceSource } from './core/traceSource';
import type { MessageAction } from './pageMessages';
import { canSendAgain, ownParams, type SendAgain } from './sendAgain';
import type { TraceBodies } from './traceBodies';
import { exportTrace } from './traceFiles';
import type { PanelActions } from './tracePanel';

/** The version used with a server that has not said which it speaks. */
const DEFAULT_VERSION = '2025-11-25';
/** What each request carries in the era without sessions (spec: basic#meta, 2026-07-28). */
const MODERN = /"io\.modelcontextprotocol\/protocolVersion"\s*:\s*"([\w.-]+)"/;

/** What can be done with any trace: open and copy messages, and export all of them. */
export function readOnlyActions(source: TraceSource, bodies: TraceBodies): PanelActions {
  return {
    of: () => [],
    act: async () => {},
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

interface LiveServices {
  readonly servers: ServerSet;
  readonly source: TraceSource;
  readonly bodies: TraceBodies;
  readonly sendAgain: SendAgain;
  /** Selects the first new row that matches. */
  readonly revealNext: (fits: (row: TraceRow) => boolean) => void;
}

/** What can also be done with messages of servers that exist. */
export class LiveActions implements PanelActions {
  readonly open: PanelActions['open'];
  readonly copy: PanelActions['copy'];
  readonly export: PanelActions['export'];

  constructor(private readonly services: LiveServices) {
    const { open, copy, export: toFile } = readOnlyActions(services.source, services.bodies);
    [this.open, this.copy, this.export] = [open, copy, toFile];
  }

  of({ record, kind, method }: TraceRow): readonly MessageAction[] {
    const isOurs = record.direction === 'sent' && (kind === 'request' || kind === 'notification');
    // Nothing can be made from a message of which only the beginning was kept.
    if (!isOurs || record.text.length < record.size || !this.services.servers.get(record.server)) return [];
    if (kind === 'notification') return ['curl'];
    return canSendAgain(method) ? ['curl', 'sdk', 'send'] : ['curl', 'sdk'];
  }

  async act(action: MessageAction, row: TraceRow): Promise<void> {
    const { servers, source, sendAgain, revealNext } = this.services;
    const { record } = row;
    const server = servers.get(record.server);
    const reach = server && reachOf(server.definition, text => server.redact(text));
    if (!server || !reach) return;
    const text = source.readable(record);
    if (action === 'curl') return this.copy(this.#shellCommand(text, reach, server.info));
    const { method, params } = parsed(text);
    if (action === 'sdk') return this.copy(sdkCall({ method, params: ownParams(params), reach }));
    await sendAgain.run({ server, method, params: ownParams(params) }, () => {
      const last = source.records().at(-1)?.seq ?? 0;
      revealNext(
        ({ record: { seq, server: id, direction }, method: sent }) =>
          seq > last && id === server.id && direction === 'sent' && sent === method,
      );
    });
  }

  #shellCommand(text: string, reach: Reach, info: { protocolVersion: string; era: 'legacy' | 'modern' } | undefined) {
    const modern = MODERN.exec(text)?.[1];
    const protocolVersion = modern ?? info?.protocolVersion ?? DEFAULT_VERSION;
    return shellCommand({ text, reach, protocolVersion, era: modern ? 'modern' : (info?.era ?? 'legacy') });
  }
}

/** This works for messages whose secrets were struck out, unless a secret was a number. */
function parsed(text: string): { method: string; params: unknown } {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(t('This message can’t be sent again because a secret redacted from it is not text.'));
  }
}
