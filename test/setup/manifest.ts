import { readFileSync, writeFileSync } from 'node:fs';
import { inputsJsonSchema } from '../../src/host/settings/inputs';
import { serversJsonSchema } from '../../src/host/settings/schema';
import { PAGES, type PageWithSettings, readPage, withSettings } from './settingsTable';

/** The part of package.json that is made here. */
interface Manifest {
  contributes?: { configuration?: { title?: string; properties?: Record<string, object> } };
}

/** The keys in `contributes.configuration.properties` that are generated. */
export const GENERATED = ['mcpHost.servers', 'mcpHost.inputs'] as const;

/**
 * A copy of package.json in which the settings `mcpHost.servers` and `mcpHost.inputs` have the JSON schemas of the code. Everything else stays
 * as it is.
 */
export function withGeneratedSchema(manifest: object): object {
  const { contributes } = manifest as Manifest;
  const configuration = contributes?.configuration;
  const properties = {
    ...configuration?.properties,
    'mcpHost.servers': { scope: 'resource', ...serversJsonSchema() },
    'mcpHost.inputs': { scope: 'resource', ...inputsJsonSchema() },
  };
  return {
    ...manifest,
    contributes: { ...contributes, configuration: { title: 'MCP Host', ...configuration, properties } },
  };
}

/** What package.json has for a generated setting. */
export function generatedPart(manifest: object, key: (typeof GENERATED)[number]): object | undefined {
  return (manifest as Manifest).contributes?.configuration?.properties?.[key];
}

/** package.json of the repository, which is where npm runs scripts and tests. */
export const readManifest = (): object => JSON.parse(readFileSync('package.json', 'utf8'));

if (require.main === module) {
  if (!process.argv.includes('--write')) throw new Error('usage: node out/setup/manifest.js --write');
  writeFileSync('package.json', `${JSON.stringify(withGeneratedSchema(readManifest()), null, 2)}\n`);
  for (const page of Object.keys(PAGES) as PageWithSettings[]) writeFileSync(page, withSettings(page, readPage(page)));
}
