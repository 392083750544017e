import type { Tool } from '@modelcontextprotocol/client';
import { indentedJson } from '../../base/json';
import { plain, visible } from '../../base/text';
import { localized } from '../../editor/errorText';
import { toolTitle } from '../../editor/serverRows';
import { t, window } from '../../editor/window';
import type { ServerConnection } from '../../host';
import { askWhole } from '../review';
import type { ApprovedCall, AskApproval, RefusedCall, ToolCalls } from '../trust';
import type { FinishedCall } from './core/resultText';

import vscode = require('vscode');

type Arguments = Record<string, unknown>;

/** Tools without chat: a person runs them on their pages. */
export class ToolCommands {
  /** By server and tool, for this session. */
  readonly #lastArguments = new Map<string, Arguments>();

  constructor(
    private readonly calls: ToolCalls,
    /** Asks about a changed tool. */
    private readonly ask: AskApproval,
  ) {}

  /** Asks before a call with a person's arguments, and remembers those. Undefined: not made, the person knows why. */
  async approve(target: ToolTarget, args: Arguments): Promise<ApprovedCall | undefined> {
    const { calls, ask } = this;
    const wanted = { ...target, args, origin: 'palette' as const };
    // A person who chose the tool and wrote its arguments has approved it, unless the tool has changed.
    const call = await calls.approve(wanted, ask);
    if (!call.approved) {
      if (call.by === 'rule') void tellRefused(target, call);
      return undefined;
    }
    if (!(await confirmDestructive(target, args))) return undefined;
    this.#lastArguments.set(keyOf(target), args);
    return call;
  }

  lastArguments(target: ToolTarget): Arguments | undefined {
    return this.#lastArguments.get(keyOf(target));
  }
}

const keyOf = ({ server, tool }: ToolTarget) => `${server.id}\n${tool.name}`;

export interface ToolTarget {
  readonly server: ServerConnection;
  readonly tool: Tool;
}

/** Says why a call is not made, what to do about it, and leads there. */
export async function tellRefused({ server, tool }: ToolTarget, { why, message }: RefusedCall): Promise<void> {
  const isBlocked = why === 'blocked';
  const action = isBlocked ? t('Review Changes…') : t('Manage Trust…');
  if ((await window.showWarningMessage(plain(localized(message)), action)) !== action) return;
  if (isBlocked) await vscode.commands.executeCommand('mcpHost.reviewChanges', { server, kind: 'tools', item: tool });
  else await vscode.commands.executeCommand('mcpHost.manageTrust');
}

/** Asks once more, showing all arguments, if the server itself says that the tool may be destructive. */
export async function confirmDestructive({ server, tool }: ToolTarget, args: Arguments): Promise<boolean> {
  const { destructiveHint, readOnlyHint } = tool.annotations ?? {};
  if (destructiveHint !== true || readOnlyHint === true) return true;
  const run = t('Run');
  const answer = await askWhole({
    title: toolTitle(tool),
    question: t('Run {0} on MCP server "{1}"?', toolTitle(tool), server.name),
    notes: [t('The server says that this tool may change or delete data.')],
    content: { json: indentedJson(args) },
    allow: [run],
    others: [t("Don't Run")],
  });
  return answer === run;
}

/** Copies a `tools/call` request (spec: server/tools#calling-tools). */
export async function copyRequest(name: string, args: Arguments): Promise<void> {
  const request = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
  await vscode.env.clipboard.writeText(indentedJson(request));
  window.setStatusBarMessage(t('Copied the call to {0}', visible(name)), 2_000);
}

/** A call as the request that it was, for tests made of it. */
export const requestOfCall = (call: FinishedCall | undefined): object | undefined =>
  call && {
    server: call.server.id,
    method: 'tools/call',
    params: { name: call.tool.name, arguments: call.args },
    outcome: { result: call.result },
  };
