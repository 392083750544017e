import { settingValue } from '../../editor/settingValues';
import { t, verbatim } from '../../editor/window';
import { confinementOf, type whyUnable } from '../../host';
import { packageRunner, quoted, valueText } from '../../host/launch';
import { programIn, SANDBOX_SETTINGS, type SandboxRules, type SandboxSetting } from '../../host/settings';
import type { LaunchReview } from './core/consent';

type Launch = Pick<LaunchReview, 'definition' | 'reviewed'>;

/** What confines programs here besides their entries. */
export interface SandboxDemand {
  /** The person's, or the organization's if that is more. */
  readonly setting: SandboxSetting;
  /** Whether the organization demands that a server is confined: it does not start otherwise. */
  isDemanded(server: LaunchReview['definition']): boolean;
  /** Why nothing is confined here. */
  readonly unable?: Awaited<ReturnType<typeof whyUnable>>;
}

/** The person's setting alone. */
export function ownSandbox(): SandboxDemand {
  const value = settingValue('sandbox');
  return { setting: SANDBOX_SETTINGS.find(known => known === value) ?? 'off', isDemanded: () => false };
}

const confinement = ({ definition, reviewed }: Launch, { setting }: SandboxDemand) =>
  confinementOf({ ...definition, entry: reviewed }, setting);

/** Whether it is confined although its entry does not ask for it. */
export function isConfinedUnasked(launch: Launch, demand: SandboxDemand): boolean {
  const found = confinement(launch, demand);
  return found.kind === 'confined' && !found.isAsked;
}

/** The reason why a launch is not confined although the setting demands it. Undefined otherwise. */
export function unableText(launch: Launch, demand: SandboxDemand): string | undefined {
  const { unable, setting } = demand;
  if (!unable || setting !== 'workspaceServers' || demand.isDemanded(launch.definition)) return undefined;
  if (!isConfinedUnasked(launch, demand)) return undefined;
  return unable.isInstalled
    ? t('It is not confined: this system does not allow bubblewrap to create a sandbox.')
    : t('It is not confined: the program for that, bubblewrap, is not installed.');
}

/** The places that a launch can access, in three lines: files, network, environment. Undefined: it isn't confined. */
export function sandboxLines(launch: Launch, demand: SandboxDemand): string[] | undefined {
  const program = programIn(launch.reviewed);
  const found = confinement(launch, demand);
  if (found.kind !== 'confined' || !program || unableText(launch, demand)) return undefined;
  const { rules } = found;
  return [filesLine(rules), networkLine(rules, packageRunner(program.command, program.args)), environmentLine(rules)];
}

function filesLine({ read, write }: SandboxRules): string {
  const reads = read?.length
    ? verbatim('reads installed programs, its roots and {0}', list(read))
    : t('reads installed programs and its roots');
  const changes = write?.length ? verbatim('changes only: {0}', list(write)) : t('changes none of your files');
  return verbatim('Files: {0}; {1}', reads, changes);
}

function networkLine({ network, sockets }: SandboxRules, runner: string | undefined): string {
  const named = network?.includes('*') ? t('every host') : list(network ?? []);
  const hosts = sockets ? verbatim('{0}, and Unix sockets of its own', named) : named;
  const line =
    runner === undefined
      ? verbatim('Network: {0}', hosts)
      : verbatim('Network: {0}, and until it is ready also the hosts from which {1} fetches packages', hosts, runner);
  if (!network) return verbatim('{0}; you are asked about each host', line);
  return network.length === 0 || network.includes('*') ? line : verbatim('{0}; you are asked about others', line);
}

function environmentLine({ env = [] }: SandboxRules): string {
  if (settingValue('sandboxEnvironment') === 'whole') return t('Environment: all variables of the editor');
  if (env.length === 0) return t('Environment: basic variables, and those that its entry sets');
  return verbatim('Environment: basic variables, those that its entry sets, and {0}', list(env));
}

const list = (texts: readonly string[]) => texts.map(text => quoted(valueText(text))).join(', ') || t('none');
