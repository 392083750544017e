import type { Admission, LaunchPurpose, ServerDefinition } from '../../../host/definition';
import type { ServerEntry } from '../../../host/settings';
import { FORBIDDABLE } from './forbidden';
import type { Fixed } from './organization';
import { type OrganizationRules, refusalOf, refusalOfBuild, remedyOf, settingsOf } from './organizationRules';
import { fromSources, hostsOf } from './packageSources';
import type { RuledLaunch } from './serverRules';

export { readRules, refusalOf } from './organizationRules';

/** A launch at the gate. */
interface GatedLaunch {
  readonly definition: ServerDefinition;
  readonly entry: ServerEntry;
  /** The same with absolute paths. */
  readonly launch: RuledLaunch;
  readonly purpose: LaunchPurpose;
  readonly isWhole: boolean;
}

/** Whether rules let a launch pass. @param rules as they are now */
export function admissionBy(
  rules: () => OrganizationRules,
  { definition, entry, launch, purpose, isWhole }: GatedLaunch,
): Admission {
  const now = rules();
  const reason =
    refusalOf(now, launch, isWhole || !definition.inputs) ??
    (purpose === 'build' ? refusalOfBuild(now, launch) : undefined);
  if (reason) return { needs: 'permission', reason, remedy: remedyOf(now) };
  if (entry.type === 'stdio') {
    const sources = sourcesIn(now);
    // In the last step, as rules and consent concern the entry's own variables.
    return { entry: isWhole && sources ? fromSources(sources, entry) : entry };
  }
  // A redirect leads to another address, which has to pass the same rules.
  const mayReach = (url: URL) => refusalOf(rules(), { ...launch, entry: { ...entry, url: url.href } }) === undefined;
  return { entry, mayReach };
}

const sourcesIn = (rules: OrganizationRules) =>
  settingsOf(rules).find(settings => settings.packageSources)?.packageSources;

/** What rules fix beside which servers may start, in the strictest direction. */
export function fixedBy(rules: OrganizationRules): Fixed {
  const all = settingsOf(rules);
  const demanded = all.map(({ sandbox }) => sandbox);
  const openTelemetry = all.find(settings => settings.openTelemetry)?.openTelemetry;
  const servers = all.find(settings => settings.servers)?.servers;
  const hosts = all.find(settings => settings.allowedHosts)?.allowedHosts;
  const packageSources = sourcesIn(rules);
  const auditLog = all.find(settings => settings.auditLog !== undefined)?.auditLog;
  const registry = all.find(settings => settings.registry !== undefined)?.registry;
  return {
    sandbox: demanded.find(one => one === 'all') ?? demanded.find(one => one !== undefined) ?? 'off',
    enforcesPins: all.some(({ enforcesPins }) => enforcesPins),
    forbids: FORBIDDABLE.filter(what => all.some(({ forbids }) => forbids.includes(what))),
    ...(servers && { servers }),
    ...((hosts || packageSources) && { limits: { hosts, sources: hostsOf(packageSources ?? {}) } }),
    ...(auditLog !== undefined && { auditLog }),
    ...(openTelemetry && { openTelemetry }),
    ...(registry !== undefined && { registry }),
  };
}
