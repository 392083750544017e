import * as z from 'zod';
import { input } from '../../src/host/settings/inputs';
import { serverInput, serverName } from '../../src/host/settings/schema';

/** The part of a JSON schema that is read here. */
interface Schema {
  readonly [key: string]: unknown;
  readonly properties?: Record<string, Schema>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly enum?: readonly string[];
}

/**
 * The schema with the keys of what package.nls.json says about it and its parts.
 * @param name of a key begins with it.
 */
function explained(schema: Schema, name: string, texts: object): Schema {
  const { properties, items, anyOf, oneOf, ...own } = schema;
  const part = (child: Schema, key: string | number) => explained(child, `${name}.${key}`, texts);
  const explain = (key: string) => `%${name}.${key}%`;
  const all = Object.entries(properties ?? {}).map(([key, child]) => [key, part(child, key)]);
  return {
    ...own,
    ...(`${name}.description` in texts && { description: explain('description') }),
    ...(`${name}.enum.${own.enum?.[0]}` in texts && { enumDescriptions: own.enum!.map(one => explain(`enum.${one}`)) }),
    ...(properties && { properties: Object.fromEntries(all) }),
    ...(items && { items: part(items, 'items') }),
    ...(anyOf && { anyOf: anyOf.map((child, n) => part(child, `anyOf.${n}`)) }),
    ...(oneOf && { oneOf: oneOf.map((child, n) => part(child, `oneOf.${n}`)) }),
  };
}

function madeOf(schema: z.ZodType): Schema {
  const { $schema, ...made } = z.toJSONSchema(schema, { io: 'input' });
  return made as Schema;
}

/** The JSON schema of `mcpHost.servers`, for completion, hovers and squiggles. @param texts package.nls.json */
export function serversSchema(texts: object): object {
  const stdio = (tab: number) => ({ command: `\${${tab}:npx}`, args: ['-y', `\${${tab + 1}:package}`] });
  const http = (tab: number) => ({ type: 'http', url: `\${${tab}:https://example.com/mcp}` });
  const name = '${1:name}';
  // A server's own object, or a whole file of another host pasted by mistake: `parseServers` understands and says so.
  const wrapper = { type: 'object', doNotSuggest: true };
  return {
    type: 'object',
    default: {},
    markdownDescription: '%schema.servers.markdownDescription%',
    defaultSnippets: [
      { label: 'MCP server: a program', body: { [name]: stdio(2) } },
      { label: 'MCP server: an address', body: { [name]: http(2) } },
    ],
    propertyNames: { ...madeOf(serverName), patternErrorMessage: '%schema.servers.patternErrorMessage%' },
    properties: { mcpServers: wrapper, servers: wrapper },
    additionalProperties: {
      ...explained(madeOf(serverInput), 'schema.servers', texts),
      anyOf: [{ required: ['command'] }, { required: ['url'] }],
      defaultSnippets: [
        { label: 'A program (stdio)', body: stdio(1) },
        { label: 'An address (HTTP)', body: http(1) },
      ],
    },
  };
}

/** The JSON schema of `mcpHost.inputs`. @param texts package.nls.json */
export function inputsSchema(texts: object): object {
  const prompt = { type: 'promptString', id: '${1:token}', description: '${2:Access token}', password: true };
  const pick = { type: 'pickString', id: '${1:region}', description: '${2:Region}', options: ['${3:eu}', '${4:us}'] };
  return {
    type: 'array',
    default: [],
    markdownDescription: '%schema.inputs.markdownDescription%',
    defaultSnippets: [
      { label: 'Input: a secret', body: [prompt] },
      { label: 'Input: a choice', body: [pick] },
    ],
    items: {
      ...explained(madeOf(input), 'schema.inputs', texts),
      defaultSnippets: [
        { label: 'A secret, or other text', body: prompt },
        { label: 'A choice', body: pick },
        { label: 'What a command answers', body: { type: 'command', id: '${1:id}', command: '${2:command}' } },
      ],
    },
  };
}
