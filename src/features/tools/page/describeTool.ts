import type { Tool } from '@modelcontextprotocol/client';

import vscode = require('vscode');

import { visible, visibleLines } from '../../../base/text';
import { errorText, localized } from '../../../editor/errorText';
import type { HostError, ServerConnection } from '../../../host';
import { stateText } from '../../servers';
import type { ToolCalls } from '../../trust';
import { titleOf } from '../chooseTool';
import { expectation } from '../core/coerce';
import { type ArgumentForm, optionsOf, takesSeveral } from '../core/page/argumentForm';
import { resultBlocks } from '../core/page/resultBlocks';
import type { PageArguments, PageButton, PageField, PageRun, ToToolPage } from '../core/page/toolPageMessages';
import type { RunEnd, ToolRun } from '../core/page/toolRuns';
import { formatDuration } from '../core/resultText';
import type { FormStep } from '../core/schemaForm';

const { t } = vscode.l10n;
const MAX_DESCRIPTION = 20_000;
const MAX_OPTIONS = 1_000;

/** What the page shows of a tool. @param tool as it is now, or, while it is not there, as it was last. */
export function describeTool(
  name: string,
  server: ServerConnection | undefined,
  tool: Tool | undefined,
  calls: Pick<ToolCalls, 'isAllowed'>,
  refused: 'denied' | 'blocked' | undefined,
): ToToolPage & { type: 'tool' } {
  const isOffered = server?.offers('tools').some(one => one.name === name) === true;
  const facts = [tool && titleOf(tool) !== name ? visible(name, 120) : '', server ? visible(server.id) : ''];
  return {
    type: 'tool',
    title: tool ? titleOf(tool) : visible(name, 120),
    facts: [...facts, ...hints(tool)].filter(Boolean),
    description: tool?.description ? visibleLines(tool.description, MAX_DESCRIPTION) : '',
    notice: notice(name, server, isOffered, refused),
    approval: server && tool && isOffered ? approval(server, tool, calls, refused) : undefined,
    canRun: isOffered && refused === undefined,
  };
}

/** What a server says about its tool: hints, never facts. */
function hints(tool: Tool | undefined): string[] {
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = tool?.annotations ?? {};
  return [
    readOnlyHint && t('read-only'),
    !readOnlyHint && destructiveHint && t('destructive'),
    !readOnlyHint && idempotentHint && t('idempotent'),
    openWorldHint && t('open world'),
  ].filter(hint => typeof hint === 'string');
}

function notice(
  name: string,
  server: ServerConnection | undefined,
  isOffered: boolean,
  refused: 'denied' | 'blocked' | undefined,
): (ToToolPage & { type: 'tool' })['notice'] {
  if (!server) return { text: t('The server of this tool is not configured in this window.'), buttons: [] };
  const log: PageButton = { action: 'showLog', label: t('Show Server Log') };
  const { state } = server;
  const what = visible(name, 120);
  if (refused === 'blocked') {
    const text = t('This tool has changed since it was accepted, and is blocked until you accept the change.');
    return { text, buttons: [{ action: 'reviewChanges', label: t('Review Changes…') }] };
  }
  if (refused === 'denied') return { text: t('Your approvals deny this tool.'), buttons: [] };
  if (isOffered) return undefined;
  if (state.kind === 'needsAuth') {
    const text = t('MCP server "{0}" needs you to sign in.', server.name);
    return { text, buttons: [{ action: 'signIn', label: t('Sign In') }, log] };
  }
  if (state.kind === 'starting' || server.catalog.list('tools').status === 'loading')
    return { text: t('MCP server "{0}" is starting.', server.name), buttons: [log] };
  if (state.kind === 'ready') {
    const text = t('MCP server "{0}" no longer offers a tool called {1}.', server.name, what);
    return { text, buttons: [log] };
  }
  const text = t('MCP server "{0}" is not running: {1}.', server.name, stateText(server));
  return { text, buttons: [{ action: 'start', label: t('Start Server') }, log] };
}

function approval(
  server: ServerConnection,
  tool: Tool,
  calls: Pick<ToolCalls, 'isAllowed'>,
  refused: 'denied' | 'blocked' | undefined,
): (ToToolPage & { type: 'tool' })['approval'] {
  const button: PageButton = { action: 'setApproval', label: t('Change Approval…') };
  if (refused === 'denied') return { text: t('Calls by models: denied'), button };
  const isAllowed = calls.isAllowed({ server, tool, origin: 'chat' });
  return { text: isAllowed ? t('Calls by models: allowed') : t('Calls by models: you are asked'), button };
}

/** The questions of the form, in words. */
export function describeForm(form: ArgumentForm): ToToolPage & { type: 'form' } {
  const note = form.isJsonOnly
    ? t('The arguments of this tool are too varied for a form. Enter them as JSON.')
    : form.steps.length === 0
      ? t('This tool takes no arguments.')
      : '';
  return {
    type: 'form',
    fields: form.steps.map(describeField),
    note,
    hasJson: form.isJsonOnly || form.steps.length > 0,
  };
}

function describeField(step: FormStep): PageField {
  const options = optionsOf(step);
  const isText = step.kind === 'string' && step.format === undefined;
  return {
    name: visible(step.path.join('.'), 200),
    title: visible(step.title ?? '', 200),
    description: visibleLines(step.description ?? '', 2_000),
    hint: visible(localized(expectation(step)), 300),
    required: step.required,
    kind: options
      ? takesSeveral(step)
        ? 'several'
        : 'one'
      : step.kind === 'json'
        ? 'json'
        : isText
          ? 'lines'
          : 'line',
    options: (options ?? []).slice(0, MAX_OPTIONS).map(({ label }) => visible(label)),
  };
}

/** What is in the form now. */
export function describeArguments(form: ArgumentForm): PageArguments {
  const words = (problem: Parameters<typeof localized>[0] | undefined) =>
    problem === undefined ? '' : visible(localized(problem), 500);
  return {
    fields: form.fields.map(({ text, chosen, problem, isMissing = false }) => ({
      text,
      chosen,
      problem: words(problem),
      isMissing,
    })),
    json: form.json,
    jsonProblem: words(form.jsonProblem),
    wholeProblem:
      form.wholeProblem === undefined ? '' : t('This does not match the schema: {0}', visible(form.wholeProblem, 500)),
  };
}

/** A line about a call, for the list of those that were made. */
export function describeRun({ id, args, at, end, ms }: ToolRun): PageRun {
  const kind = kindOf(end);
  const time = new Date(at).toLocaleTimeString(vscode.env.language);
  const took = ms === undefined ? '' : formatDuration(ms);
  return {
    id,
    kind,
    text: [time, outcome(kind), took].filter(Boolean).join(' · '),
    args: visible(JSON.stringify(args), 300),
  };
}

/** All of a call that has ended. */
export function describeResult(
  run: ToolRun,
  server: ServerConnection | undefined,
  canOpenApp: boolean,
): ToToolPage & { type: 'result' } {
  const { id, end, ms = 0 } = run;
  const kind = kindOf(end);
  const heading = [outcome(kind), formatDuration(ms)].join(' · ');
  const about = { type: 'result', id, heading, kind, canOpenApp, canOpen: end?.kind === 'result' } as const;
  if (end?.kind === 'result') {
    const said = end.problem ? [{ kind: 'note', text: localized(end.problem) } as const] : [];
    const failed = end.result.isError
      ? [{ kind: 'note', text: t('The tool reported an error (isError):') } as const]
      : [];
    return { ...about, blocks: [...failed, ...said, ...resultBlocks(end.result, localized)], buttons: [] };
  }
  if (end?.kind === 'error') {
    const buttons: PageButton[] = [{ action: 'showLog', label: t('Show Server Log') }];
    if (server?.state.kind === 'needsAuth') buttons.unshift({ action: 'signIn', label: t('Sign In') });
    return { ...about, blocks: [{ kind: 'note', text: wordsOf(end.error) }], buttons };
  }
  const text = t('This result was large and is no longer kept. Run the tool again.');
  return { ...about, blocks: [{ kind: 'note', text }], buttons: [] };
}

const wordsOf = (error: unknown): string =>
  (error as Partial<HostError>).code === 'CANCELLED' ? t('You cancelled this call.') : errorText(error, 1_000);

function kindOf(end: RunEnd | undefined): PageRun['kind'] {
  if (!end) return 'running';
  if (end.kind === 'error') return 'failed';
  if (end.kind === 'forgotten') return end.isError ? 'failed' : 'ok';
  return end.result.isError ? 'failed' : end.problem ? 'odd' : 'ok';
}

function outcome(kind: PageRun['kind']): string {
  return { running: t('Running'), ok: '✔ OK', odd: '⚠ OK', failed: `✘ ${t('ERROR')}` }[kind];
}
