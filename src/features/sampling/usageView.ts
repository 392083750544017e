import vscode = require('vscode');

import { numberText } from '../../base/numberText';
import { type PlainText, plain, type RowText, rowText, visible } from '../../base/text';
import { type PlainRow, say, t, window } from '../../editor/window';
import type { ServerConnection } from '../../host';
import type { SamplingLine } from '../trust';
import type { SamplingChoices, SamplingUsage } from './core/samplingLimits';
import type { SamplingPolicy } from './core/samplingPolicy';

type Row = PlainRow & { run?: () => Promise<unknown> };

export function samplingLine(
  server: ServerConnection,
  choices: SamplingChoices,
  usage: SamplingUsage,
  isForbidden: boolean,
): SamplingLine {
  if (isForbidden) {
    const change = () => vscode.commands.executeCommand('mcpHost.showOrganizationRules');
    return { policy: t('forbidden by your organization'), change };
  }
  const [hour, day] = (['hour', 'day'] as const).map(span => usage.tokens(server.id, span));
  const used = t('{0} tokens in the last hour, {1} in the last day', numberText(hour!), numberText(day!));
  return {
    policy: policyWord(choices.policy(server.definition)),
    ...(day! > 0 && { used }),
    change: () => showServer(server, choices, usage),
  };
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
  const rows: Row[] = [
    separator(t('its requests')),
    ...policies,
    separator(t('answered by')),
    modelRow(t("The model that best fits the server's preferences"), undefined),
    ...models.map(model => modelRow(visible(model.name, 80), model.id)),
    separator(t('last requests')),
    ...(last.length > 0 ? last : [{ label: t('None yet') }]),
  ];
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
