import vscode = require('vscode');

import { numberText } from '../../base/numberText';
import { type PlainText, plain, type RowText, rowText, visible } from '../../base/text';
import { type PlainRow, say, t, window } from '../../editor/window';
import type { ServerConnection, ServerSet } from '../../host';
import type { SamplingChoices, SamplingUsage } from './core/samplingLimits';
import type { SamplingPolicy } from './core/samplingPolicy';

type Row = PlainRow & { run?: () => Promise<unknown> };

/** Shows how much each server has used the models, and what it is allowed. */
export async function showUsage(servers: ServerSet, choices: SamplingChoices, usage: SamplingUsage): Promise<void> {
  const rows = servers.all.map((server): Row => {
    const { id, definition } = server;
    return {
      label: rowText(id, 100),
      description: policyWord(choices.policy(definition)),
      detail: t(
        '{0} tokens in the last hour, {1} in the last day',
        numberText(usage.tokens(id, 'hour')),
        numberText(usage.tokens(id, 'day')),
      ),
      run: () => showServer(server, choices, usage),
    };
  });
  if (rows.length === 0) void window.showInformationMessage(t('No MCP servers are configured.'));
  else await choose(rows, t('Sampling requests from MCP servers'));
}

async function showServer(server: ServerConnection, choices: SamplingChoices, usage: SamplingUsage): Promise<void> {
  const { id, definition } = server;
  const current = choices.policy(definition);
  const policies = (['ask', 'allow', 'deny'] as const).map((policy): Row => {
    const run = async () => {
      await choices.set(definition, { policy });
      if ((policy === 'deny') !== (current === 'deny')) await offerRestart(server);
    };
    return { label: marked(policy === current, policyWord(policy)), detail: policyText(policy), run };
  });
  const chosen = choices.model(definition);
  const models = await vscode.lm.selectChatModels();
  const modelRow = (label: string, model: string | undefined): Row => ({
    label: marked(model === chosen, label),
    run: () => choices.set(definition, { model }),
  });
  const last = usage.last(id).map(
    ({ at, answer, model, tokens }): Row => ({
      label: say`$(history) ${new Date(at).toLocaleString(vscode.env.language)}`,
      description: rowText(
        [answer, model, tokens !== undefined && t('{0} tokens', numberText(tokens))].filter(Boolean).join(' · '),
      ),
    }),
  );
  const title = t('Sampling for MCP server "{0}"', visible(id, 80));
  await choose(
    [
      separator(t('its requests')),
      ...policies,
      separator(t('answered by')),
      modelRow(t("The model that best fits the server's preferences"), undefined),
      ...models.map(model => modelRow(visible(model.name, 80), model.id)),
      separator(t('last requests')),
      ...(last.length > 0 ? last : [{ label: t('None yet') }]),
    ],
    title,
  );
}

async function choose(rows: Row[], title: PlainText): Promise<void> {
  await (await window.showQuickPick(rows, { title, matchOnDescription: true }))?.run?.();
}

/** Capabilities are declared when a connection begins. */
async function offerRestart(server: ServerConnection): Promise<void> {
  const restart = t('Restart');
  const message = t('This takes effect the next time MCP server "{0}" starts.', server.name);
  if ((await window.showInformationMessage(plain(message), restart)) !== restart) return;
  await vscode.commands.executeCommand('mcpHost.restartServer', { server });
}

function policyWord(policy: SamplingPolicy): PlainText {
  return { ask: t('Ask'), allow: t('Allow'), deny: t('Deny') }[policy];
}

function policyText(policy: SamplingPolicy): PlainText {
  return {
    ask: t('You review each request and each answer first'),
    allow: t('Requests within the limits are sent without asking you'),
    deny: t('The server cannot ask. It learns this when it starts'),
  }[policy];
}

const marked = (isCurrent: boolean, label: string) => (isCurrent ? say`$(check) ${label}` : say`$(blank) ${label}`);
const separator = (label: RowText): Row => ({ label, kind: vscode.QuickPickItemKind.Separator });
