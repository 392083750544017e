import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { serverInput } from '../../../../src/host/settings/schema';
import { readManifestTexts } from '../../../generate/run';
import { serversSchema } from '../../../generate/settingSchemas';
import { inRepository } from '../../../setup/paths';

interface Schema {
  type?: string | string[];
  description?: string;
  default?: unknown;
  enum?: string[];
  enumDescriptions?: string[];
  required?: string[];
  properties?: Record<string, Schema>;
  propertyNames?: { pattern: string };
  additionalProperties?: Schema | false;
  defaultSnippets?: { body: object }[];
}

describe('the JSON schema of mcpHost.servers', () => {
  const texts = readManifestTexts();
  const schema = JSON.parse(JSON.stringify(serversSchema(texts))) as Schema;
  const server = schema.additionalProperties as Schema;
  const fields = server.properties!;

  it('has every field of a server, each with a description for its hover', () => {
    assert.deepEqual(Object.keys(fields).sort(), Object.keys(serverInput.shape).sort());
    for (const [name, field] of [...Object.entries(fields), ...Object.entries(fields.timeouts!.properties!)]) {
      const description = texts[field.description?.replaceAll('%', '') ?? ''] ?? '';
      assert.match(description, /^[A-Z].*\.$/, name);
      if (typeof field.default === 'number') assert.ok(description.endsWith(`Default: ${field.default}.`), name);
    }
  });

  it('has every field in the table of docs/servers.md', () => {
    const page = readFileSync(inRepository('docs/servers.md'), 'utf8');
    const named = [...page.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell]) => cell!.match(/\w+/g) ?? []);
    for (const name of Object.keys(fields)) assert.ok(named.includes(name), name);
  });

  it('allows keys of other hosts, also at the top', () => {
    assert.equal(server.additionalProperties, undefined);
    assert.equal(server.required, undefined);
    assert.equal(schema.properties?.mcpServers?.additionalProperties, undefined);
  });

  it('offers every type with an explanation', () => {
    assert.deepEqual(fields.type!.enum, ['stdio', 'http', 'sse', 'streamable-http', 'streamableHttp']);
    for (const type of fields.type!.enumDescriptions!) assert.ok(texts[type.replaceAll('%', '')], type);
  });

  it('allows for env what the code allows', () => {
    assert.deepEqual((fields.env!.additionalProperties as Schema).type, ['string', 'number', 'boolean', 'null']);
  });

  it('has patterns that the editor can compile', () => {
    for (const { propertyNames } of [schema, fields.env!, fields.headers!]) new RegExp(propertyNames!.pattern, 'u');
  });

  it('offers snippets for both kinds of servers', () => {
    assert.deepEqual(
      server.defaultSnippets!.map(({ body }) => Object.keys(body)),
      [
        ['command', 'args'],
        ['type', 'url'],
      ],
    );
  });
});
