import { type Phrase, phrase } from '../../../base/phrase';
import { visible } from '../../../base/text';
import type { TelemetrySettings } from '../../telemetry';
import type { Forbidden } from '../../trust';
import type { ManagedSettings } from './managedFile';

/** What a managed file says, for people. */
export function settingsLines({
  rules: { allowed, denied },
  sandbox,
  enforcesPins,
  ...others
}: ManagedSettings): Phrase[] {
  const { forbids, servers = {}, allowedHosts, packageSources, auditLog, openTelemetry, registry } = others;
  const texts = (list: readonly { readonly text: string }[]) => list.map(({ text }) => text).join(', ') || '[]';
  return [
    ...(denied.length > 0 ? [phrase('Denied: {0}', texts(denied))] : []),
    allowed ? phrase('Allowed, and nothing else: {0}', texts(allowed)) : phrase('Allowed: whatever is not denied'),
    ...(sandbox ? [phrase('Confined at least: {0}', sandbox)] : []),
    ...(enforcesPins ? [phrase('Changed tools are blocked until they are accepted.')] : []),
    ...forbids.map(what => FORBIDDEN[what]),
    ...(Object.keys(servers).length > 0
      ? [phrase('Servers that everybody has: {0}', visible(Object.keys(servers).join(', '), 1_000))]
      : []),
    ...(allowedHosts
      ? [phrase('Allowed hosts, and no others: {0}', visible(allowedHosts.join(', ') || '[]', 1_000))]
      : []),
    ...(packageSources
      ? [phrase('Packages come from nowhere else: {0}', visible(JSON.stringify(packageSources), 1_000))]
      : []),
    ...(auditLog === undefined ? [] : [phrase('The audit log is copied to {0}', visible(auditLog, 300))]),
    ...(openTelemetry ? [reportedLine(openTelemetry)] : []),
    ...(registry === undefined ? [] : [phrase('Registry that is searched: {0}', registry)]),
  ];
}

const FORBIDDEN: Readonly<Record<Forbidden, Phrase>> = {
  alwaysAllow: phrase('Each call is asked about.'),
  sampling: phrase('Servers get no answers of language models.'),
  codeMode: phrase('Models write no scripts.'),
  shareWithAgents: phrase('Servers are not shared with agents.'),
};

const reportedLine = ({ endpoint, content }: TelemetrySettings) =>
  content
    ? phrase('Requests to servers, with arguments and results, are reported to {0}', endpoint)
    : phrase('Requests to servers, without arguments and results, are reported to {0}', endpoint);
