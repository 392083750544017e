import type { Progress } from '@modelcontextprotocol/client';
import type { HostError } from '../../base/errors';
import { numberText } from '../../base/numberText';
import { plain, rowText, visible } from '../../base/text';
import { askDecision } from '../../editor/dialogs';

import { errorText, localized } from '../../editor/errorText';

import { say, t, window } from '../../editor/window';
import type { ServerSet } from '../../host';
import type { CalledApps } from '../apps';
import {
  type ApprovedCall,
  type AskPerson,
  askWhole,
  inQuestion,
  jsonOf,
  type MadeCall,
  type RefusedCall,
  type ToolCalls,
  type WantedCall,
} from '../trust';
import { chooseTool, type ToolTarget, titleOf, toolOfRow } from './chooseTool';
import type { FinishedCall } from './core/resultText';
import { scaffold } from './core/schemaForm';
import type { RawJson } from './rawJson';
import type { ToolResults } from './resultDocument';
import { askToolArguments } from './toolForm';

import vscode = require('vscode');

type Arguments = Record<string, unknown>;

/** A call that ends sooner shows only its result. */
const QUIET_MS = 500;

interface ToolServices {
  servers: ServerSet;
  calls: ToolCalls;
  /** Asks about a changed tool. */
  ask: AskPerson;
  results: ToolResults;
  apps: Pick<CalledApps, 'afterRun'>;
  rawJson: RawJson;
}

interface LastCall {
  serverId: string;
  toolName: string;
  args: Arguments;
}

/** Tools without chat: run one on its page or with arguments from a form, run it again, copy its request. */
export class ToolCommands implements vscode.Disposable {
  /** By server and tool, for this session. */
  readonly #lastArguments = new Map<string, Arguments>();
  #last: LastCall | undefined;

  constructor(private readonly services: ToolServices) {}

  /**
   * Opens the page of the tool of a row, or of one that the person chooses. In an editor with the arguments of a call,
   * confirms those instead.
   */
  async run(argument?: unknown): Promise<void> {
    if (argument === undefined && (await this.services.rawJson.confirm())) return;
    const target = await this.#chosen(argument);
    if (!target) return;
    const row = { server: target.server, kind: 'tools', item: target.tool };
    void vscode.commands.executeCommand('mcpHost.openPage', row);
  }

  /** Asks for the arguments of a tool one by one, without its page, then calls it. */
  async runInSteps(argument?: unknown): Promise<void> {
    const target = await this.#chosen(argument);
    if (target) await this.#askAndCall(target, this.#lastArguments.get(keyOf(target)));
  }

  /**
   * Asks what must be asked before a call with arguments that a person has given, and remembers those. Undefined: it is not
   * made, and the person knows why.
   */
  async approve(target: ToolTarget, args: Arguments): Promise<ApprovedCall | undefined> {
    const { server, tool } = target;
    if ((await this.#isRefused(target, args)) || !(await confirmDestructive(target, args))) return undefined;
    // A person who chose the tool and wrote its arguments has approved it, unless the tool has changed.
    const call = await this.services.calls.approve(wanted(target, args), this.services.ask);
    if (!call.approved) return undefined;
    this.#lastArguments.set(keyOf(target), args);
    this.#last = { serverId: server.id, toolName: tool.name, args };
    return call;
  }

  /** Runs the tool of the last call or of a row again, with its last arguments, which can be changed. */
  async rerun(argument?: unknown): Promise<void> {
    const target = toolOfRow(argument) ?? this.#lastTarget();
    const args = target && this.#lastArguments.get(keyOf(target));
    if (!target || !args) return this.runInSteps(argument);
    const rows = [
      { label: t('$(run) Run again'), detail: rowText(JSON.stringify(args), 300), how: 'again' },
      { label: t('$(edit) Change the arguments…'), how: 'form' },
      { label: t('$(json) Change the arguments as JSON…'), how: 'json' },
    ];
    const title = say`${titleOf(target.tool)} · ${target.server.name}`;
    const chosen = await window.showQuickPick(rows, { title, ignoreFocusOut: true });
    if (chosen?.how === 'again') await this.#call(target, args);
    else if (chosen?.how === 'form') await this.#askAndCall(target, args);
    else if (chosen) await this.#editAndCall(target, args);
  }

  /** Copies the `tools/call` request of the last call or, for a row, of its tool (spec: server/tools#calling-tools). */
  async copyCall(argument?: unknown): Promise<void> {
    const target =
      toolOfRow(argument) ??
      this.#lastTarget() ??
      (await chooseTool(this.services.servers, argument, t('Select a tool to copy a call to it')));
    if (!target) return;
    await copyRequest(target.tool.name, this.#lastArguments.get(keyOf(target)) ?? scaffold(target.tool.inputSchema));
  }

  /** The arguments that the tool was last called with in this session. */
  lastArguments(target: ToolTarget): Arguments | undefined {
    return this.#lastArguments.get(keyOf(target));
  }

  dispose(): void {
    this.#lastArguments.clear();
  }

  async #chosen(argument: unknown): Promise<ToolTarget | undefined> {
    return toolOfRow(argument) ?? chooseTool(this.services.servers, argument, t('Select a tool to run'));
  }

  #lastTarget(): ToolTarget | undefined {
    const server = this.#last && this.services.servers.get(this.#last.serverId);
    const tool = server?.offers('tools').find(({ name }) => name === this.#last?.toolName);
    return server && tool && { server, tool };
  }

  async #askAndCall(target: ToolTarget, initial: Arguments | undefined): Promise<void> {
    const { server, tool } = target;
    const { rawJson } = this.services;
    if (await this.#isRefused(target)) return;
    const args = await askToolArguments({
      title: `${titleOf(tool)} · ${server.name}`,
      schema: tool.inputSchema,
      initial,
      editAll: args => this.#edit(target, args),
      editOne: (name, schema, value) =>
        rawJson.edit({ name: `${tool.name} ${name}`, schema, value, action: t('Use for {0}', name) }),
    });
    if (args) await this.#call(target, args);
  }

  async #editAndCall(target: ToolTarget, initial: Arguments): Promise<void> {
    const args = await this.#edit(target, initial);
    if (args) await this.#call(target, args);
  }

  #edit({ server, tool }: ToolTarget, args: Arguments): Promise<Arguments | undefined> {
    const action = t('Run {0} on {1}', titleOf(tool), server.name);
    return this.services.rawJson.editArguments(server, tool, { ...scaffold(tool.inputSchema), ...args }, { action });
  }

  async #call(target: ToolTarget, args: Arguments): Promise<void> {
    const { server, tool } = target;
    const call = await this.approve(target, args);
    if (!call) return;
    try {
      const { result, problem, ms } = await callWithProgress(target, call);
      await this.services.results.show({ server, tool, args, result, problem, ms });
      await this.services.apps.afterRun({ server, tool, args, outcome: Promise.resolve(result) });
    } catch (error) {
      await this.#explain(target, args, error);
    }
  }

  async #explain(target: ToolTarget, args: Arguments, error: unknown): Promise<void> {
    if ((error as Partial<HostError>).code === 'CANCELLED') {
      window.setStatusBarMessage(t('Cancelled {0}', titleOf(target.tool)), 5_000);
      return;
    }
    const [signIn, again, edit, log] = [t('Sign In'), t('Run Again'), t('Change Arguments…'), t('Show Server Log')];
    const ways =
      target.server.state.kind === 'needsAuth' ? [signIn, edit, log] : [...(isLost(error) ? [again] : []), edit, log];
    const chosen = await window.showErrorMessage(plain(errorText(error, 1_000)), ...ways);
    if (chosen === signIn) await vscode.commands.executeCommand('mcpHost.signIn', { server: target.server });
    if (chosen === again) await this.#call(target, args);
    if (chosen === edit) await this.#askAndCall(target, args);
    if (chosen === log) await vscode.commands.executeCommand('mcpHost.showServerLog', { server: target.server });
  }

  /** Says so if it has. */
  async #isRefused(target: ToolTarget, args: Arguments = {}): Promise<boolean> {
    const refused = await this.services.calls.refused(wanted(target, args));
    if (refused) void tellRefused(target, refused);
    return refused !== undefined;
  }
}

const wanted = ({ server, tool }: ToolTarget, args: Arguments): WantedCall => ({
  server,
  tool,
  args,
  origin: 'palette',
});

/** Whether the server was not there, or not any more: the same call may succeed now. */
const isLost = (error: unknown): boolean => LOST.has((error as Partial<HostError>).code);
const LOST = new Set<HostError['code'] | undefined>([
  'CLOSED',
  'EXITED',
  'NOT_READY',
  'SESSION_LOST',
  'TIMEOUT',
  'UNREACHABLE',
]);

const keyOf = ({ server, tool }: ToolTarget) => `${server.id}\n${tool.name}`;

/**
 * Calls the tool. If it takes a while, shows the server's progress (spec: basic/utilities/progress); cancelling that cancels
 * the call on the server.
 */
async function callWithProgress({ server, tool }: ToolTarget, call: ApprovedCall): Promise<MadeCall> {
  const abort = new AbortController();
  let last: Progress | undefined;
  let show = (_: Progress) => {};
  const onProgress = (step: Progress) => {
    last = step;
    show(step);
  };
  const done = call.run({ signal: abort.signal, onProgress });
  const timer = setTimeout(() => {
    const title = t('Running {0} on {1}', titleOf(tool), server.name);
    const location = vscode.ProgressLocation.Notification;
    void window.withProgress({ location, title, cancellable: true }, async (progress, token) => {
      token.onCancellationRequested(() => abort.abort());
      let percent = 0;
      show = step => {
        const now = step.total ? Math.min(100, Math.max(percent, (step.progress / step.total) * 100)) : percent;
        progress.report({ message: plain(messageOfStep(step)), increment: now - percent });
        percent = now;
      };
      if (last) show(last);
      await done.catch(() => undefined);
    });
  }, QUIET_MS);
  try {
    return await done;
  } finally {
    clearTimeout(timer);
  }
}

/** Says why a call is not made, what to do about it, and leads there. */
export async function tellRefused({ server, tool }: ToolTarget, { why, message }: RefusedCall): Promise<void> {
  const isBlocked = why === 'blocked';
  const action = isBlocked ? t('Review Changes…') : t('Manage Trust…');
  if ((await window.showWarningMessage(plain(localized(message)), action)) !== action) return;
  if (isBlocked) await vscode.commands.executeCommand('mcpHost.reviewChanges', { server, kind: 'tools', item: tool });
  else await vscode.commands.executeCommand('mcpHost.manageTrust');
}

/** Asks once more if the server itself says that the tool may be destructive. */
export async function confirmDestructive(
  { server, tool }: ToolTarget,
  args: Record<string, unknown>,
): Promise<boolean> {
  const { destructiveHint, readOnlyHint } = tool.annotations ?? {};
  if (destructiveHint !== true || readOnlyHint === true) return true;
  const run = t('Run');
  const warning = t('The server says that this tool may change or delete data.');
  const question = t('Run {0} on MCP server "{1}"?', titleOf(tool), server.name);
  const json = jsonOf(args);
  const { text, isWhole } = inQuestion(json);
  if (!isWhole) {
    const buttons = [
      { answer: 'run', title: run, allows: true },
      { answer: 'cancel', title: t("Don't Run"), allows: false },
    ];
    return (await askWhole({ title: titleOf(tool), question, notes: [warning], content: { json }, buttons })) === 'run';
  }
  const detail = `${warning}\n\n${text}`;
  // The first has the focus.
  return (await askDecision(question, detail, t("Don't Run"), run)) === run;
}

/** Copies a `tools/call` request (spec: server/tools#calling-tools). */
export async function copyRequest(name: string, args: Record<string, unknown>): Promise<void> {
  const request = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
  await vscode.env.clipboard.writeText(JSON.stringify(request, null, 2));
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

/** How far a call is, in the words of its server or in numbers. */
export function messageOfStep({ message, progress, total }: Progress): string {
  if (message) return visible(message, 120);
  return total ? t('{0} of {1}', progress, total) : numberText(progress);
}
