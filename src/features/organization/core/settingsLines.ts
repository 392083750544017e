import { type Phrase, phrase } from '../../../base/phrase';
import type { TelemetrySettings } from '../../telemetry';
import type { ManagedSettings } from './managedFile';

/** What a managed file says, for people. */
export function settingsLines({
  rules: { allowed, denied },
  sandbox,
  enforcesPins,
  ...others
}: ManagedSettings): Phrase[] {
  const { mayAlwaysAllow, openTelemetry, registry } = others;
  const texts = (list: readonly { readonly text: string }[]) => list.map(({ text }) => text).join(', ') || '[]';
  return [
    ...(denied.length > 0 ? [phrase('Denied: {0}', texts(denied))] : []),
    allowed ? phrase('Allowed, and nothing else: {0}', texts(allowed)) : phrase('Allowed: whatever is not denied'),
    ...(sandbox ? [phrase('Confined at least: {0}', sandbox)] : []),
    ...(enforcesPins ? [phrase('Changed tools are blocked until they are accepted.')] : []),
    ...(mayAlwaysAllow ? [] : [phrase('Each call is asked about.')]),
    ...(openTelemetry ? [reportedLine(openTelemetry)] : []),
    ...(registry === undefined ? [] : [phrase('Registry that is searched: {0}', registry)]),
  ];
}

const reportedLine = ({ endpoint, content }: TelemetrySettings) =>
  content
    ? phrase('Requests to servers, with arguments and results, are reported to {0}', endpoint)
    : phrase('Requests to servers, without arguments and results, are reported to {0}', endpoint);
