import assert from 'node:assert/strict';
import { serversJsonSchema } from '../../../../src/host/settings/schema';

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
  const schema = JSON.parse(JSON.stringify(serversJsonSchema())) as Schema;
  const server = schema.additionalProperties as Schema;
  const fields = server.properties!;

  it('has every field of a server, each with a description for its hover', () => {
    const expected = [
      'args',
      'command',
      'cwd',
      'dev',
      'enabled',
      'env',
      'envFile',
      'headers',
      'logLevel',
      'oauth',
      'roots',
      'sandbox',
      'start',
      'timeouts',
      'type',
      'url',
    ];
    assert.deepEqual(Object.keys(fields).sort(), expected);
    for (const [name, field] of [...Object.entries(fields), ...Object.entries(fields.timeouts!.properties!)]) {
      assert.match(field.description ?? '', /^[A-Z].*\.$/, name);
    }
  });

  it('allows keys of other hosts, also at the top', () => {
    assert.equal(server.additionalProperties, undefined);
    assert.equal(server.required, undefined);
    assert.equal(schema.properties?.mcpServers?.additionalProperties, undefined);
  });

  it('offers every type with an explanation', () => {
    assert.deepEqual(fields.type!.enum, ['stdio', 'http', 'sse', 'streamable-http', 'streamableHttp']);
    assert.equal(fields.type!.enumDescriptions!.length, fields.type!.enum!.length);
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
