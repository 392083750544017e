import type { ServerConnection } from '../../../../host';

/** Whether the server has resources that are not in its list yet. */
export function hasMorePages({ catalog }: ServerConnection): boolean {
  return Boolean(catalog.list('resources').more);
}

/** Fetches all pages of these servers; the lists grow meanwhile. Never rejects: a failure is the list's status. */
export async function loadAllPages(servers: readonly ServerConnection[], signal: AbortSignal): Promise<void> {
  const paged = servers.filter(hasMorePages);
  await Promise.all(paged.map(({ catalog }) => catalog.loadAllPages('resources', signal)));
}
