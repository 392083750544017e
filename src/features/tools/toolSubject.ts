import type { CallToolResult, Tool } from '@modelcontextprotocol/client';
import { visible } from '../../base/text';
import { localized } from '../../editor/errorText';
import { hintsOf, toolTitle } from '../../editor/serverRows';
import { t, verbatim } from '../../editor/window';
import { argumentProblem, type ServerConnection } from '../../host';
import type { AppCall } from '../apps';
import { canTest } from '../authors';
import type { ApprovedCall, ToolCalls } from '../trust';
import type { PageAction, PageButton, PageField } from './core/itemPageMessages';
import { type ItemRun, isFailed, type RunResult } from './core/itemRuns';
import { REPORTED_ERROR, resultBlocks } from './core/resultBlocks';
import type { FinishedCall } from './core/resultText';
import type { JsonSchema } from './core/schemaFields';
import { type Arguments, type PageServices, PageSubject, type PreparedRun } from './pageSubject';
import type { ToolResults } from './resultDocument';
import { copyRequest, requestOfCall, type ToolTarget } from './runTool';

import vscode = require('vscode');

export interface ToolSubjectServices extends PageServices {
  readonly calls: Pick<ToolCalls, 'isAllowed' | 'refusal'>;
  readonly results: Pick<ToolResults, 'show'>;
  /** Asks what must be asked before a call. Undefined: it is not made, and the person knows why. */
  approve(target: ToolTarget, args: Arguments): Promise<ApprovedCall | undefined>;
  lastArguments(target: ToolTarget): Arguments | undefined;
  /** Opens the app that a server provides for the results of a tool, if any: on request or automatically. */
  readonly app?: {
    has(call: FinishedCall): boolean;
    openFor(call: FinishedCall): void;
    onPageRun(call: AppCall): void;
  };
}

export class ToolSubject extends PageSubject<Tool, ToolSubjectServices> {
  override readonly beside = 'json';
  #refusal: 'denied' | 'blocked' | undefined;

  get words() {
    return {
      buttons: [{ action: 'copy', label: t('Copy Call') } satisfies PageButton],
      noArguments: t('This tool takes no arguments.'),
      gone: (server: string) =>
        verbatim('MCP server "{0}" no longer offers a tool called {1}.', server, visible(this.place.name, 120)),
    };
  }

  override get title(): string {
    return this.item ? toolTitle(this.item) : super.title;
  }

  schema(tool: Tool): JsonSchema {
    return tool.inputSchema;
  }

  lastArguments(server: ServerConnection, tool: Tool): Arguments | undefined {
    return this.services.lastArguments({ server, tool });
  }

  override problem(schema: JsonSchema, args: unknown): string | undefined {
    return argumentProblem(schema, args);
  }

  override field(field: PageField): PageField {
    return field;
  }

  async prepare(server: ServerConnection, tool: Tool, args: Arguments): Promise<PreparedRun | undefined> {
    return this.services.approve({ server, tool }, args);
  }

  blocks(result: RunResult) {
    const blocks = resultBlocks(result as CallToolResult, localized);
    return isFailed(result) ? [{ kind: 'note', text: localized(REPORTED_ERROR) } as const, ...blocks] : blocks;
  }

  content(result: RunResult) {
    const { content } = result as CallToolResult;
    return Array.isArray(content) ? content : [];
  }

  async open(run: ItemRun): Promise<void> {
    const call = this.#finished(run);
    if (call) await this.services.results.show(call);
  }

  async act(action: PageAction, args: Arguments, run: ItemRun | undefined): Promise<void> {
    if (action === 'copy') await copyRequest(this.place.name, args);
    const call = action === 'openApp' && run && this.#finished(run);
    if (call) this.services.app?.openFor(call);
    const recorded = action === 'recordTest' && run && requestOfCall(this.#finished(run));
    if (recorded) await vscode.commands.executeCommand('mcpHost.recordTest', recorded);
  }

  override resultButtons(run: ItemRun): readonly PageButton[] {
    const call = this.#finished(run);
    const hasApp = call !== undefined && this.services.app?.has(call) === true;
    return [
      ...(hasApp ? [{ action: 'openApp', label: t('Open App'), isMain: true } as const] : []),
      ...(call && canTest ? [{ action: 'recordTest', label: t('Record as Test…') } as const] : []),
    ];
  }

  override began(args: Arguments, running: ReturnType<PreparedRun['run']>): void {
    const { server, offered: tool } = this;
    if (!server || !tool) return;
    const outcome = running.then(({ result }) => result as CallToolResult);
    outcome.catch(() => {});
    this.services.app?.onPageRun({ server, tool, args, outcome });
  }

  protected override facts(tool: Tool | undefined): string[] {
    return hintsOf(tool);
  }

  protected override async refused() {
    const { server, offered: tool } = this;
    const refusal =
      server && tool && (await this.services.calls.refusal({ server, tool, args: {}, origin: 'palette' }));
    this.#refusal = refusal?.why === 'unanswered' ? undefined : refusal?.why;
    if (this.#refusal === 'denied') return { text: t('Your approvals deny this tool.'), buttons: [] };
    if (this.#refusal !== 'blocked') return undefined;
    const text = t('This tool has changed since it was accepted, and is blocked until you accept the change.');
    return { text, buttons: [{ action: 'reviewChanges', label: t('Review Changes…') } satisfies PageButton] };
  }

  protected override approval() {
    const { server, offered: tool } = this;
    if (!server || !tool) return undefined;
    const button: PageButton = { action: 'setApproval', label: t('Change Approval…') };
    const isAllowed = this.services.calls.isAllowed({ server, tool, origin: 'chat' });
    const open = isAllowed ? t('Calls by models: allowed') : t('Calls by models: you are asked');
    return { text: this.#refusal === 'denied' ? t('Calls by models: denied') : open, button };
  }

  #finished({ args, end, ms = 0 }: ItemRun): FinishedCall | undefined {
    const { item: tool } = this;
    if (end?.kind !== 'result' || !tool) return undefined;
    const server = this.server ?? { id: this.place.server, name: this.place.server };
    const result = end.result as CallToolResult;
    return { server, tool, args: { ...args }, result, problem: end.problem, ms };
  }
}
