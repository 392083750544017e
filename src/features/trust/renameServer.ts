import vscode = require('vscode');

import type { ServerDefinition } from '../../host/definition';
import { parseKept } from './core/flow';
import { copyApprovals, copyConsents, deniedToo } from './core/renamed';
import { FlowStorage } from './dataFlow';
import { ApprovalStorage, ConsentStorage } from './extensionStorage';
import type { Trust } from './trust';

/**
 * Copies the person's answers for a server to its new name, before settings have that name: consent, approvals, denials and
 * accepted definitions. Entries of `mcpHost.approvals.deny` for the old name are repeated for the new one.
 */
export async function keepAnswers(
  context: Pick<vscode.ExtensionContext, 'workspaceState' | 'globalState'>,
  { pins }: Pick<Trust, 'pins'>,
  from: ServerDefinition,
  to: ServerDefinition,
): Promise<void> {
  const settings = vscode.workspace.getConfiguration('mcpHost.approvals');
  const denied: unknown = settings.get('deny');
  const deny = Array.isArray(denied) ? denied.filter(pattern => typeof pattern === 'string') : [];
  const more = deniedToo(deny, from, to);
  if (more.length > 0) await settings.update('deny', [...deny, ...more], vscode.ConfigurationTarget.Global);
  await copyConsents(new ConsentStorage(context), from.id, to.id);
  await copyApprovals(new ApprovalStorage(context), from, to);
  const flow = new FlowStorage(context);
  const marks = parseKept(flow.get(from));
  if (marks && !parseKept(flow.get(to))) await flow.set(to, marks);
  await pins.copy(from, to);
}
