import vscode = require('vscode');

import {
  confinementOf,
  packageRunner,
  quoted,
  SANDBOX_SETTINGS,
  type SandboxRules,
  type SandboxSetting,
  shown,
} from '../../host';
import type { LaunchReview } from './core/consent';

const { t } = vscode.l10n;

/** What a launch may touch, in three lines: files, network, environment. Undefined: it isn't confined. */
export function sandboxLines({
  definition,
  reviewed,
}: Pick<LaunchReview, 'definition' | 'reviewed'>): string[] | undefined {
  if (reviewed.type !== 'stdio') return undefined;
  const found = confinementOf({ ...definition, entry: reviewed }, setting());
  if (found.kind !== 'confined') return undefined;
  const { rules } = found;
  return [
    filesLine(rules),
    networkLine(rules, packageRunner(reviewed.command, reviewed.args)?.runner),
    environmentLine(rules),
  ];
}

function filesLine({ read, write }: SandboxRules): string {
  const reads = read
    ? t('reads system folders, its roots, and of your home folder only: {0}', list(read))
    : t('reads everything but secret places such as {0}', '~/.ssh');
  const changes = write ? t('changes only: {0}', list(write)) : t('changes only its roots');
  return t('Files: {0}; {1}', reads, changes);
}

function networkLine({ network = [], sockets }: SandboxRules, runner: string | undefined): string {
  const named = network.includes('*') ? t('every host') : list(network);
  const hosts = sockets ? t('{0}, and Unix sockets of its own', named) : named;
  if (runner === undefined) return t('Network: {0}', hosts);
  return t('Network: {0}, and where {1} fetches packages, until it is ready', hosts, runner);
}

function environmentLine({ env = [] }: SandboxRules): string {
  if (vscode.workspace.getConfiguration('mcpHost').get('sandboxEnvironment') === 'whole')
    return t('Environment: all variables of the editor');
  if (env.length === 0) return t('Environment: basic variables, and those that its entry sets');
  return t('Environment: basic variables, those that its entry sets, and {0}', list(env));
}

const list = (texts: readonly string[]) => texts.map(text => quoted(shown(text))).join(', ') || t('none');

function setting(): SandboxSetting {
  const value = vscode.workspace.getConfiguration('mcpHost').get('sandbox');
  return SANDBOX_SETTINGS.find(known => known === value) ?? 'off';
}
