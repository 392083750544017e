import type { ServerConnection } from '../../../host';
import { CATALOG_KINDS } from '../../../host/catalog';
import type { LintedServer } from './lint';

/** A server's current lists. A list that changed although its server announces no changes has changed unannounced. */
export async function offeredBy(server: ServerConnection): Promise<LintedServer> {
  const { catalog, info } = server;
  const texts = () => CATALOG_KINDS.map(kind => JSON.stringify(catalog.list(kind).items));
  const before = texts();
  const supported = CATALOG_KINDS.filter(kind => catalog.list(kind).status !== 'unsupported');
  await Promise.all(supported.map(kind => catalog.load(kind)));
  const now = texts();
  return {
    instructions: info?.instructions,
    tools: catalog.tools,
    prompts: catalog.prompts,
    resourceTemplates: catalog.resourceTemplates,
    excluded: supported.flatMap(kind => (catalog.list(kind).excluded ?? []).map(item => ({ kind, ...item }))),
    changedUnannounced: CATALOG_KINDS.filter(
      (kind, index) => before[index] !== now[index] && supported.includes(kind) && !server.announces(kind),
    ),
  };
}
