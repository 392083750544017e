import type { Tool } from '@modelcontextprotocol/client';
import { stringsOf } from '../../base/json';
import { type PlainText, rowText, visible, withoutIcons } from '../../base/text';
import { answeredText, answerIn, dateText } from '../../editor/dialogs';
import { settingValue } from '../../editor/settingValues';
import { joined, type PlainRow, say, t, window } from '../../editor/window';
import type { ServerConnection, ServerSet } from '../../host';
import type { ServerId } from '../../host/definition';
import { editRule, lastingAnswers, narrowApproval, ruleText } from './callQuestion';
import type { ApprovalAnswer, ApprovalRule } from './core/approvals';
import { type ArgumentRule, ruleId } from './core/argumentRules';
import { type RememberedConsent, revokeShared } from './core/consent';
import { flowText, markFlow } from './dataFlow';
import type { InputCommands } from './inputQuestions';
import type { Trust } from './trust';

import vscode = require('vscode');

const DENY_SETTING = 'mcpHost.approvals.deny';

interface Answers {
  readonly servers: ServerSet;
  readonly trust: Trust;
  readonly inputs: InputCommands;
  readonly clients: () => readonly ListedAnswer[];
  readonly sampling: (server: ServerConnection) => SamplingLine;
  readonly signOut: (server: ServerConnection) => Promise<void>;
  /** The arguments of the person's last call of a tool. */
  readonly lastArguments: (target: { server: ServerConnection; tool: Tool }) => Record<string, unknown> | undefined;
}

/** An answer about an extension or agent. */
export interface ListedAnswer {
  readonly row: PlainRow;
  revoke(): Promise<void>;
  /** Asks which profile holds for an agent. Absent: there is nothing to choose from. */
  readonly chooseProfile?: () => Promise<void>;
}

/** What a server may do with the models, how much it has used them, and the list that changes that. */
export interface SamplingLine {
  readonly policy: PlainText;
  /** Absent: it has used none in the last day. */
  readonly used?: PlainText;
  change(): unknown;
}

interface Line extends PlainRow {
  /** Takes back what the row says. */
  readonly revoke?: () => Promise<unknown>;
  readonly change?: () => unknown;
  readonly edit?: vscode.QuickInputButton;
  readonly buttons?: readonly vscode.QuickInputButton[];
}

const button = (icon: string, tooltip: string) => ({ iconPath: new vscode.ThemeIcon(icon), tooltip });
const REVOKE = button('trash', t('Revoke'));
const EDIT = button('edit', t('Change…'));

/**
 * Lists by server what the person has allowed, denied or said: consents to start, accounts, approvals, data flow, sampling; then saved inputs,
 * extensions, agents, and what settings deny. Each row can be taken back or changed.
 * @param argument a row of the Servers view: of a server, for what concerns it, or of a tool, for its approval.
 */
export async function manageTrust(answers: Answers, argument?: unknown): Promise<void> {
  const { server, item: tool } = (argument ?? {}) as { server?: ServerConnection; item?: Tool };
  if (server && tool) return changeApproval(answers, server.id, tool.name);
  const list = window.createQuickPick<Line>();
  list.title = server ? t('Trust in MCP server "{0}"', server.name) : t('What you have allowed and denied');
  list.placeholder = answers.trust.policy.asksAlways
    ? t('Your organization wants you to be asked about each call: approvals have no effect')
    : t('Select what to change or revoke');
  list.matchOnDescription = true;
  list.matchOnDetail = true;
  const draw = () => {
    list.items = linesOf(answers, server).map(line => {
      const { edit, revoke } = line;
      return { ...line, buttons: [...(edit ? [edit] : []), ...(revoke ? [REVOKE] : [])] };
    });
  };
  draw();
  const chosen = await answerIn<() => unknown>(list, end => {
    list.onDidAccept(() => {
      const [line] = list.selectedItems;
      end(line?.change ?? (line?.revoke && (() => confirmRevoke(line))));
    });
    list.onDidTriggerItemButton(({ item, button }) => {
      if (button === REVOKE) void item.revoke?.().then(draw);
      else end(item.change);
    });
  });
  await chosen?.();
}

async function confirmRevoke({ label: title, revoke }: Line): Promise<void> {
  const placeHolder = t('What should apply from now on?');
  if (await window.showQuickPick([{ label: t('Revoke') }], { title: say`${title}`, placeHolder })) await revoke?.();
}

function linesOf(answers: Answers, only: ServerConnection | undefined): Line[] {
  const { servers, trust, inputs, clients } = answers;
  const section = (label: PlainRow['label'], lines: Line[]): Line[] =>
    lines.length > 0 ? [{ label, kind: vscode.QuickPickItemKind.Separator }, ...lines] : [];
  const saved = inputs.saved(only).map(
    ({ id, where, users, forget }): Line => ({
      label: rowText(id, 100),
      description: say`${t('saved value')} · ${visible(where, 200)}`,
      detail: rowText(users.join(', '), 300),
      revoke: forget,
    }),
  );
  if (only) return [...serverLines(answers, only.id, true), ...section(t('Inputs'), saved)];
  const ids = new Set([
    ...servers.all.map(({ id }) => id),
    ...trust.consents.all.map(({ server }) => server),
    ...trust.policy.rules.map(({ serverId }) => serverId),
  ]);
  const ofServers = [...ids].flatMap(id => section(rowText(''), serverLines(answers, id)));
  const commands = trust.inputCommands.all.map(
    (command): Line => ({
      label: rowText(command.id, 100),
      description: say`${t('always runs its command, allowed {0}', dateText(command.at))} · ${visible(command.where, 200)}`,
      detail: rowText(command.text, 300),
      revoke: () => trust.inputCommands.revoke(command),
    }),
  );
  const users = clients().map(
    ({ row, revoke, chooseProfile }): Line => ({
      ...row,
      revoke,
      ...(chooseProfile && { change: chooseProfile, edit: button('list-filter', t('Choose Profile…')) }),
    }),
  );
  const denials = stringsOf(settingValue('approvals.deny')).map(
    (pattern): Line => ({
      label: rowText(pattern, 100),
      description: t('denied by your settings'),
      edit: button('gear', t('Open the Setting')),
      change: () => vscode.commands.executeCommand('workbench.action.openSettings', DENY_SETTING),
    }),
  );
  return [
    ...ofServers,
    ...section(t('Inputs'), [...saved, ...commands]),
    ...section(t('Extensions and agents'), users),
    ...section(rowText(DENY_SETTING), denials),
  ];
}

/** What was said about one server, which may not be configured any more. */
function serverLines(answers: Answers, id: ServerId, isOnly = false): Line[] {
  const { trust, servers, signOut } = answers;
  const server = servers.get(id);
  // Among others, a row is found by the name of its server: the editor hides separators while one types.
  const named = (...texts: string[]) => say`${visible([...(isOnly ? [] : [id]), ...texts].join(' · '), 300)}`;
  const consents = trust.consents.all
    .filter(consent => consent.server === id)
    .map(
      (consent): Line => ({
        label: t('Consent to start'),
        description: named(
          answeredText(consent.allowed, consent.denied),
          consent.scope === 'user' ? t('everywhere') : t('in this workspace'),
        ),
        detail: rowText(launchOf(consent), 300),
        revoke: () => revokeShared(trust.consents, consent),
      }),
    );
  const approvals = trust.policy.rules
    .filter(rule => rule.serverId === id)
    .map((rule): Line => {
      const answer = rule.arguments
        ? t('allowed for certain arguments')
        : { allow: t('allowed'), ask: t('always ask'), deny: t('denied') }[rule.answer];
      const where = { chat: t('in one chat'), workspace: t('in this workspace'), user: t('everywhere') }[rule.scope];
      const about = joined([rule.arguments && withoutIcons(ruleText(rule.arguments)), currency(answers, rule)], ' · ');
      return {
        label: rowText(rule.toolName, 100),
        description: named(`${answer} ${where}`),
        ...(about && { detail: about }),
        edit: EDIT,
        change: () => changeApproval(answers, id, rule.toolName),
        revoke: () => applyAnswer(answers, rule, 'forget'),
      };
    });
  if (!server) return [...consents, ...approvals];
  const { signedIn } = server.account;
  const account: Line[] = signedIn
    ? [
        {
          label: t('Account'),
          description: named(accountOf(signedIn)),
          detail: withoutIcons(t('Permissions: {0}', signedIn.scopes.map(scope => visible(scope, 80)).join(', '))),
          revoke: () => signOut(server),
        },
      ]
    : [];
  const flow: Line = {
    label: withoutIcons(flowText(trust.flow(), server) ?? t('Data flow')),
    description: named(),
    edit: EDIT,
    change: () => markFlow(trust.flow(), server),
  };
  const { policy, used, change } = answers.sampling(server);
  const sampling: Line = {
    label: t('Sampling'),
    description: named(policy),
    ...(used && { detail: used }),
    edit: EDIT,
    change,
  };
  return [...consents, ...account, ...approvals, flow, sampling];
}

function launchOf({ allowed }: RememberedConsent): string {
  const parts = allowed?.fields.filter(({ kind }) => kind === 'command' || kind === 'argument' || kind === 'url') ?? [];
  return parts.map(({ text }) => text).join(' ');
}

function accountOf({ issuer, account }: NonNullable<ServerConnection['account']['signedIn']>): string {
  const host = URL.canParse(issuer) ? new URL(issuer).host : issuer;
  return account === undefined ? host : t('{0} at {1}', visible(account, 100), visible(host, 200));
}

function currency(answers: ApprovedServers, rule: ApprovalRule): PlainText | undefined {
  if (rule.answer !== 'allow') return undefined;
  const isNow = isCurrent(answers, rule);
  if (isNow === undefined) return t('The server does not offer this tool now.');
  return isNow
    ? t('The tool has not changed since it was approved.')
    : t('Outdated: the tool has changed since you approved it, so you are asked before each call.');
}

/** Asks how to treat calls of one tool, here and everywhere. Without an answer, nothing changes. */
async function changeApproval(answers: Answers, serverId: ServerId, toolName: string): Promise<void> {
  const { trust, servers, lastArguments } = answers;
  const { server, tool } = find(servers, { serverId, toolName });
  const title = say`${visible(toolName, 100)} · ${visible(serverId, 100)}`;
  const kept = trust.policy.rules.filter(rule => rule.serverId === serverId && rule.toolName === toolName);
  const rows = (['workspace', 'user'] as const).flatMap(scope => {
    const place = { serverId, toolName, scope };
    const now = kept.find(rule => rule.scope === scope);
    const possible = possibleAnswers(answers, place).filter(to => to !== 'forget' || now !== undefined);
    const label = scope === 'user' ? t('Everywhere') : t('In this workspace');
    return [
      { label, kind: vscode.QuickPickItemKind.Separator },
      ...possible.map(to => ({
        label: changeText(scope, to),
        ...(now && !now.arguments && to === now.answer && { description: t('now') }),
        run: () => applyAnswer(answers, place, to),
      })),
    ];
  });
  const args = server && tool && lastArguments({ server, tool });
  const narrow = async () => {
    const narrowed = server && tool && args && (await narrowApproval({ server, tool, args }));
    if (narrowed) await applyAnswer(answers, { serverId, toolName, scope: narrowed.scope }, 'allow', narrowed.rule);
  };
  const canNarrow = args && possibleAnswers(answers, { serverId, toolName, scope: 'workspace' }).includes('allow');
  const narrowed = [
    ...kept.flatMap(rule => (rule.arguments ? [editRow(answers, title, rule, rule.arguments)] : [])),
    ...(canNarrow ? [{ label: t('Always allow with arguments similar to the last run…'), run: narrow }] : []),
  ];
  const separator = { label: t('For certain arguments'), kind: vscode.QuickPickItemKind.Separator };
  const all: (PlainRow & { run?: () => Promise<void> })[] =
    narrowed.length > 0 ? [...rows, separator, ...narrowed] : rows;
  const placeHolder = t('What should happen when a model calls this tool?');
  await (await window.showQuickPick(all, { title, placeHolder }))?.run?.();
}

const editRow = (answers: ApprovedServers, title: PlainText, rule: ApprovalRule, before: ArgumentRule) => ({
  label: t('Change the allowed arguments…'),
  detail: withoutIcons(ruleText(before)),
  run: async () => {
    const to = await editRule(title, before);
    if (to) await narrowRule(answers, rule, to);
  },
});

/** `forget`: no answer is remembered, so each call asks. */
type RuleChange = ApprovalAnswer | 'forget';

function changeText(scope: 'workspace' | 'user', to: RuleChange): PlainText {
  if (to !== 'forget') return lastingAnswers(scope)[to];
  return scope === 'user' ? t('Forget the answer for all workspaces') : t('Forget the answer for this workspace');
}

interface ApprovedServers {
  readonly servers: ServerSet;
  readonly trust: Pick<Trust, 'policy' | 'audit' | 'pins'>;
}

/** Identifies a remembered answer, even if its server or tool no longer exists. */
type RulePlace = Pick<ApprovalRule, 'scope' | 'chat' | 'serverId' | 'toolName' | 'arguments'>;

/** The possible answers for a tool: `allow` only for one that exists, as it is now, once its changes were reviewed. */
export function possibleAnswers({ servers, trust }: ApprovedServers, place: RulePlace): RuleChange[] {
  const { server, tool } = find(servers, place);
  const canAllow =
    server &&
    tool &&
    trust.pins.toolState(server, tool) !== 'changed' &&
    (place.scope !== 'user' || server.definition.source.scope === 'user');
  return [...(canAllow ? (['allow'] as const) : []), 'ask', 'deny', 'forget'];
}

/** Whether an answer that allows something applies to the tool as it is now. Undefined: unknown at the moment. */
export function isCurrent({ servers, trust }: ApprovedServers, rule: ApprovalRule): boolean | undefined {
  const { server, tool } = find(servers, rule);
  if (!server || !tool) return undefined;
  const { source, launch } = server.definition;
  return trust.policy.isCurrent(rule, { serverId: server.id, scope: source.scope, launch, tool });
}

/** Changes a remembered answer, with a line in the audit log. @param rule narrows `allow` to arguments. */
export async function applyAnswer(
  { servers, trust }: ApprovedServers,
  place: RulePlace,
  change: RuleChange,
  rule?: ArgumentRule,
): Promise<void> {
  const { policy, pins } = trust;
  const { scope, chat, serverId, toolName } = place;
  if (change === 'forget') await policy.forget(place);
  else {
    const { server, tool } = find(servers, place);
    const call = {
      serverId,
      serverName: server?.name ?? serverId,
      scope: server?.definition.source.scope ?? 'workspace',
      launch: server?.definition.launch ?? '',
      // Answers that allow nothing apply to the name alone.
      tool: tool ?? ({ name: toolName, inputSchema: { type: 'object' } } satisfies Tool),
      args: {},
      isChanged: !server || !tool || pins.toolState(server, tool) === 'changed',
      origin: 'chat',
      ...(chat !== undefined && { chat }),
    } as const;
    if (!(await policy.remember(call, change, scope, rule))) return;
  }
  record(trust, place, change === 'forget' ? 'revoked' : change, rule ?? place.arguments);
}

export async function narrowRule({ trust }: ApprovedServers, place: ApprovalRule, to: ArgumentRule): Promise<void> {
  await trust.policy.change(place, to);
  record(trust, place, 'allow', to);
}

function record(
  { audit }: ApprovedServers['trust'],
  { serverId: server, toolName: tool, scope }: RulePlace,
  answer: string,
  rule: ArgumentRule | undefined,
): void {
  audit.record({ type: 'approval', server, tool, answer, scope, ...(rule && { rule: ruleId(rule) }) });
}

function find(servers: ServerSet, { serverId, toolName }: Pick<RulePlace, 'serverId' | 'toolName'>) {
  const server = servers.get(serverId);
  const isUp = server?.state.kind === 'ready';
  return { server, tool: isUp ? server.catalog.tools.find(({ name }) => name === toolName) : undefined };
}
