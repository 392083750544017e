import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { evalFileJsonSchema } from '../../src/features/authors/core/readEvalFile';
import { testFileJsonSchema } from '../../src/features/authors/core/testSchema';
import { serverInput } from '../../src/host/settings/schema';
import { GENERATED_PAGES, madePage, readPage, TABLES } from './generatedPages';
import { inputsSchema, serversSchema } from './settingSchemas';

/** A category of settings, as the Settings editor shows it. */
interface Category {
  title: string;
  properties: Record<string, object>;
}

/** The part of package.json that is made here. */
interface Manifest {
  contributes?: { configuration?: Category[] };
}

/** The settings that are generated: what makes the JSON schema of each, with the keys of its texts. */
const SCHEMAS = { 'mcpHost.servers': serversSchema, 'mcpHost.inputs': inputsSchema };
export const GENERATED = ['mcpHost.servers', 'mcpHost.inputs'] as const;

/** The JSON schemas of test files and of files of questions, and where they are shipped. */
export const FILE_SCHEMAS = [
  { kind: 'mcptest', file: 'media/mcptest.schema.json', make: testFileJsonSchema },
  { kind: 'mcpeval', file: 'media/mcpeval.schema.json', make: evalFileJsonSchema },
];

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

/**
 * A copy of package.json in which the settings `mcpHost.servers` and `mcpHost.inputs` have the JSON schemas of the code.
 * Everything else stays as it is.
 */
export function withGeneratedSchema(manifest: object): object {
  const { contributes } = manifest as Manifest;
  const texts = readManifestTexts();
  const categories = contributes?.configuration ?? [{ title: 'MCP Host', properties: {} }];
  const configuration = categories.map((category, index) => {
    const generated = GENERATED.filter(key =>
      index === 0 ? !categories.slice(1).some(({ properties }) => key in properties) : key in category.properties,
    ).map(key => {
      // Where it stands in its category.
      const { order } = (category.properties[key] ?? {}) as { order?: number };
      return [key, { ...(order !== undefined && { order }), scope: 'resource', ...withoutFaults(SCHEMAS[key](texts)) }];
    });
    return { ...category, properties: { ...category.properties, ...Object.fromEntries(generated) } };
  });
  return { ...manifest, contributes: { ...contributes, configuration } };
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

/** The double of the API, which is published without the schema. */
const API_DOUBLE = 'docs/api/testing.ts';

/** The double with the fields that an entry may have. */
function withDefinitionFields(source: string): string {
  const fields = [...Object.keys(serverInput.shape), 'disabled'].map(field => `  '${field}',\n`).join('');
  return source.replace(/(?<=DEFINITION_FIELDS: readonly string\[\] = \[\n)[^\]]*/, fields);
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
  writeFileSync(COMMAND_NAMES, commandNames(readManifest()));
  writeFileSync(API_DOUBLE, withDefinitionFields(readFileSync(API_DOUBLE, 'utf8')));
  for (const page of GENERATED_PAGES) writeFileSync(page, madePage(page, readPage(page)));
  mkdirSync('artifacts/tables', { recursive: true });
  for (const [page, make] of Object.entries(TABLES)) writeFileSync(page, make());
}
