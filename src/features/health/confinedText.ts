import { t } from '../../editor/window';
import type { ServerConnection } from '../../host';
import type { Cell, HealthTable } from './core/healthMessages';

/** Whether a program is confined, in one line. Undefined: nothing is started for this server, or has been in this window. */
export function confinementText({ attempts, definition, vitals }: ServerConnection): string | undefined {
  if (definition.entry?.type !== 'stdio' || vitals.starts === 0) return undefined;
  if (!attempts) return t('Not confined: it has all your rights');
  return attempts.isWatched
    ? t('Confined and watched: it can reach every host')
    : t('Confined to what its settings allow');
}

/** The blocked attempts of a confined server since its start, and its network use by host. */
export function confinementTables(
  { attempts }: Pick<ServerConnection, 'attempts'>,
  safe: (text: string) => string,
): HealthTable[] {
  if (!attempts) return [];
  const kinds = { network: t('Network'), read: t('Read'), sockets: t('Unix sockets'), write: t('Write') };
  const cell = (text: string, sort: string | number = text): Cell => ({ text, sort });
  return [
    {
      id: 'blocked',
      caption: t('Blocked by the sandbox'),
      columns: [{ label: t('What it tried to use') }, { label: t('For') }],
      rows: attempts.blocked.map(({ kind, what }) => [cell(safe(what) || '–'), cell(kinds[kind])]),
      empty: t('Nothing has been blocked since it started.'),
      isSortable: true,
    },
    {
      id: 'network',
      caption: t('Network by host'),
      columns: [{ label: t('Host') }, { label: t('Connections'), isNumber: true }],
      rows: [...attempts.hosts].map(([host, count]) => [cell(safe(host)), cell(String(count), count)]),
      empty: t('It has reached no host since it started.'),
      isSortable: true,
    },
  ];
}
