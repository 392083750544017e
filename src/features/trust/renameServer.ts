import vscode = require('vscode');

import { stringsOf } from '../../base/json';
import { settingValue } from '../../editor/settingValues';
import type { ServerDefinition } from '../../host/definition';
import { deniedToo } from './core/approvals';
import type { Trust } from './trust';

/** Copies the person's answers to a server's new name, before settings have it, with `mcpHost.approvals.deny`. */
export async function keepAnswers(
  { consents, policy, flow, pins }: Pick<Trust, 'consents' | 'policy' | 'flow' | 'pins'>,
  from: ServerDefinition,
  to: ServerDefinition,
): Promise<void> {
  const settings = vscode.workspace.getConfiguration('mcpHost.approvals');
  const deny = stringsOf(settingValue('approvals.deny'));
  const more = deniedToo(deny, from, to);
  if (more.length > 0) await settings.update('deny', [...deny, ...more], vscode.ConfigurationTarget.Global);
  await consents.copy(from.id, to.id);
  await policy.copy(from, to);
  await flow().copy(from, to);
  await pins.copy(from, to);
}
