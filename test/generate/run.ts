import { readFileSync, writeFileSync } from 'node:fs';
import { evalFileJsonSchema } from '../../src/features/authors/core/readTestFile';
import { testFileJsonSchema } from '../../src/features/authors/core/testSchema';
import { inputsJsonSchema } from '../../src/host/settings/inputs';
import { serversJsonSchema } from '../../src/host/settings/schema';
import { GENERATED_PAGES, madePage, readPage } from './generatedPages';

/** A category of settings, as the Settings editor shows it. */
interface Category {
  title: string;
  properties: Record<string, object>;
}

/** The part of package.json that is made here. */
interface Manifest {
  contributes?: { configuration?: Category[] };
}

/** The settings that are generated. */
export const GENERATED = ['mcpHost.servers', 'mcpHost.inputs'] as const;

/** The JSON schemas of test files and of files of questions, and where they are shipped. */
export const FILE_SCHEMAS = [
  { kind: 'mcptest', file: 'media/mcptest.schema.json', make: testFileJsonSchema },
  { kind: 'mcpeval', file: 'media/mcpeval.schema.json', make: evalFileJsonSchema },
];

/** Members of a JSON schema that a person reads, and parts of its path that say nothing. */
const TEXTS = new Set(['description', 'markdownDescription', 'patternErrorMessage', 'enumDescriptions']);
const STRUCTURE = new Set(['additionalProperties', 'properties', 'items', 'propertyNames']);
/** Of every type. */
const ANYTHING = ['object', 'array', 'string', 'number', 'boolean', 'null'];

/**
 * The schema as the condition of nothing: the editor completes and explains by it, and finds no fault. That is for the
 * extension, whose problems have a remedy and quick fixes: otherwise each fault would stand there twice.
 */
function withoutFaults(schema: object): object {
  const { type, propertyNames, properties, additionalProperties, items, ...shown } = schema as Record<string, unknown>;
  const types = [type, ...ANYTHING.filter(one => one !== type)];
  return { ...shown, type: types, if: { type, propertyNames, properties, additionalProperties, items } };
}

/** The JSON schemas of the code, each text as a key of package.nls.json, and these texts. */
export function generatedSchemas(): {
  schemas: Record<(typeof GENERATED)[number], object>;
  texts: Record<string, string>;
} {
  const texts: Record<string, string> = {};
  const keyed = (value: unknown, path: string[]): unknown => {
    const key = path.at(-1) ?? '';
    if (Array.isArray(value)) return value.map((item, n) => keyed(item, [...path, TEXTS.has(key) ? key : String(n)]));
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, keyed(member, [...path, name])]));
    if (typeof value !== 'string' || !TEXTS.has(key) || path.includes('defaultSnippets')) return value;
    const name = ['schema', ...path.filter(part => !STRUCTURE.has(part))].join('.');
    let free = name;
    for (let n = 2; free in texts; n++) free = `${name}.${n}`;
    texts[free] = value;
    return `%${free}%`;
  };
  const servers = keyed(serversJsonSchema(), ['servers']) as object;
  const inputs = keyed(inputsJsonSchema(), ['inputs']) as object;
  return { schemas: { 'mcpHost.servers': servers, 'mcpHost.inputs': inputs }, texts };
}

/**
 * A copy of package.json in which the settings `mcpHost.servers` and `mcpHost.inputs` have the JSON schemas of the code.
 * Everything else stays as it is.
 */
export function withGeneratedSchema(manifest: object): object {
  const { contributes } = manifest as Manifest;
  const { schemas } = generatedSchemas();
  const categories = contributes?.configuration ?? [{ title: 'MCP Host', properties: {} }];
  const configuration = categories.map((category, index) => {
    const generated = GENERATED.filter(key =>
      index === 0 ? !categories.slice(1).some(({ properties }) => key in properties) : key in category.properties,
    ).map(key => {
      // Where it stands in its category.
      const { order } = (category.properties[key] ?? {}) as { order?: number };
      return [key, { ...(order !== undefined && { order }), scope: 'resource', ...withoutFaults(schemas[key]) }];
    });
    return { ...category, properties: { ...category.properties, ...Object.fromEntries(generated) } };
  });
  return { ...manifest, contributes: { ...contributes, configuration } };
}

/** A copy of package.nls.json with the texts of the generated schemas, and of those no others. */
export function withGeneratedTexts(texts: Record<string, string>): Record<string, string> {
  const others = Object.entries(texts).filter(([key]) => !key.startsWith('schema.'));
  return { ...Object.fromEntries(others), ...generatedSchemas().texts };
}

/** The source with the names of the commands in package.json: it lets the compiler find a missing handler, or a wrong name. */
export const COMMAND_NAMES = 'src/editor/commandNames.ts';

export function commandNames(manifest: object): string {
  const { commands } = (manifest as { contributes: { commands: { command: string }[] } }).contributes;
  const names = commands.map(({ command }) => `| '${command.replace('mcpHost.', '')}'`).sort();
  const lines = names.join(' ').match(/.{1,116}(?= \||$)/g)!;
  return [
    '// Made by `npm run generate`.',
    '',
    '/** The commands in package.json, without `mcpHost.` */',
    '// biome-ignore format: a line for each would fill two screens',
    'export type CommandName =',
    `${lines.map(line => `  ${line.trim()}`).join('\n')};`,
    '',
  ].join('\n');
}

/** What package.json has for a generated setting. */
export function generatedPart(manifest: object, key: (typeof GENERATED)[number]): object | undefined {
  return (manifest as Manifest).contributes?.configuration?.find(({ properties }) => key in properties)?.properties[
    key
  ];
}

/** package.json of the repository, which is where npm runs scripts and tests. */
export const readManifest = (): object => JSON.parse(readFileSync('package.json', 'utf8'));
export const readManifestTexts = (): Record<string, string> => JSON.parse(readFileSync('package.nls.json', 'utf8'));

if (require.main === module) {
  if (!process.argv.includes('--write')) throw new Error('usage: node out/test/generate/run.js --write');
  const write = (file: string, value: object) => writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
  write('package.json', withGeneratedSchema(readManifest()));
  for (const { file, make } of FILE_SCHEMAS) write(file, make());
  write('package.nls.json', withGeneratedTexts(readManifestTexts()));
  writeFileSync(COMMAND_NAMES, commandNames(readManifest()));
  for (const page of GENERATED_PAGES) writeFileSync(page, madePage(page, readPage(page)));
}
