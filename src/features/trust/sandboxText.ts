import vscode = require('vscode');

import { confinementOf, type whyUnable } from '../../host';
import { packageRunner, quoted, shown } from '../../host/launch';
import { SANDBOX_SETTINGS, type SandboxRules, type SandboxSetting } from '../../host/settings';
import type { LaunchReview } from './core/consent';

const { t } = vscode.l10n;

type Launch = Pick<LaunchReview, 'definition' | 'reviewed'>;

/** Why nothing is confined here. */
export type Unable = Awaited<ReturnType<typeof whyUnable>>;

const confinement = ({ definition, reviewed }: Launch) => confinementOf({ ...definition, entry: reviewed }, setting());

/** Whether the setting confines it, and not its entry. */
export function isConfinedBySetting(launch: Launch): boolean {
  const found = confinement(launch);
  return found.kind === 'confined' && !found.isAsked;
}

/** Why it is not confined although the setting says so. Undefined: it is, or is not to be. */
export function unableText(launch: Launch, unable: Unable): string | undefined {
  if (!unable || setting() !== 'workspaceServers' || !isConfinedBySetting(launch)) return undefined;
  return unable.isInstalled
    ? t('It is not confined: this system does not let bubblewrap do that.')
    : t('It is not confined: the program for that, bubblewrap, is not installed.');
}

/** What a launch may touch, in three lines: files, network, environment. Undefined: it isn't confined. */
export function sandboxLines(launch: Launch, unable?: Unable): string[] | undefined {
  const { reviewed } = launch;
  const found = confinement(launch);
  if (found.kind !== 'confined' || reviewed.type !== 'stdio' || unableText(launch, unable)) return undefined;
  const { rules } = found;
  return [
    filesLine(rules),
    networkLine(rules, packageRunner(reviewed.command, reviewed.args)?.runner),
    environmentLine(rules),
  ];
}

function filesLine({ read, write }: SandboxRules): string {
  const reads = read?.length
    ? t('reads installed programs, its roots and {0}', list(read))
    : t('reads installed programs and its roots');
  const changes = write?.length ? t('changes only: {0}', list(write)) : t('changes none of your files');
  return t('Files: {0}; {1}', reads, changes);
}

function networkLine({ network, sockets }: SandboxRules, runner: string | undefined): string {
  const named = network?.includes('*') ? t('every host') : list(network ?? []);
  const hosts = sockets ? t('{0}, and Unix sockets of its own', named) : named;
  const line =
    runner === undefined
      ? t('Network: {0}', hosts)
      : t('Network: {0}, and where {1} fetches packages, until it is ready', hosts, runner);
  if (!network) return t('{0}; you are asked about each host', line);
  return network.length === 0 || network.includes('*') ? line : t('{0}; you are asked about others', line);
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
