import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { english } from '../../src/base/phrase';
import { DEFAULT_LIMITS } from '../../src/features/sampling/core/samplingLimits';
import { limitsOf } from '../../src/host/connection/connectionOptions';
import { NAME_RULE } from '../../src/host/settings/schema';
import { GENERATED_PAGES, madePage, readPage } from '../generate/generatedPages';
import {
  COMMAND_NAMES,
  commandNames,
  FILE_SCHEMAS,
  GENERATED,
  generatedPart,
  readManifest,
  readManifestTexts,
  withGeneratedSchema,
} from '../generate/run';

describe('package.json', () => {
  for (const key of GENERATED) {
    it(`contains the code's JSON schema for ${key}`, () => {
      const manifest = readManifest();
      const message = `"${key}" in package.json is not what src/host/settings says. Run: npm run generate`;
      assert.deepEqual(generatedPart(manifest, key), plain(generatedPart(withGeneratedSchema(manifest), key)), message);
    });
  }

  it('uses all texts of these schemas in package.nls.json', () => {
    const texts = Object.entries(readManifestTexts()).filter(([key]) => key.startsWith('schema.'));
    const used = JSON.stringify(GENERATED.map(key => generatedPart(readManifest(), key)));
    for (const [key] of texts) assert.ok(used.includes(`"%${key}%"`), key);
    assert.equal(Object.fromEntries(texts)['schema.servers.patternErrorMessage'], english(NAME_RULE));
  });

  it('has the commands whose names the sources know', () => {
    assert.equal(readFileSync(COMMAND_NAMES, 'utf8'), commandNames(readManifest()), 'Run: npm run generate');
  });

  it('comes with the JSON schemas of test files and question files', () => {
    interface Validation {
      fileMatch: string | string[];
      url: string;
    }
    const { contributes } = readManifest() as { contributes: Record<string, Validation[]> };
    for (const [point, endings] of [
      ['jsonValidation', ['json']],
      ['yamlValidation', ['yaml', 'yml']],
    ] as const)
      assert.deepEqual(
        contributes[point]!.map(({ fileMatch, url }) => ({ fileMatch: [fileMatch].flat(), url })).filter(
          ({ url }) => url !== './media/projectFile.schema.json', // it refers to the editor's schema of settings
        ),
        FILE_SCHEMAS.map(({ kind, file }) => ({
          fileMatch: endings.map(ending => `*.${kind}.${ending}`),
          url: `./${file}`,
        })),
      );
    for (const { file, make } of FILE_SCHEMAS)
      assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), plain(make()), 'Run: npm run generate');
  });

  it('keeps everything else when generated', () => {
    const other = { type: 'boolean' };
    const first = { title: 'T', properties: { other } };
    const second = { title: 'U', order: 2, properties: { 'mcpHost.inputs': { order: 7, stale: true } } };
    const manifest = { name: 'x', contributes: { views: {}, configuration: [first, second] } };
    const generated = plain(withGeneratedSchema(manifest)) as typeof manifest;
    assert.equal(generated.name, 'x');
    assert.deepEqual(Object.keys(generated.contributes), ['views', 'configuration']);
    const [one, two] = generated.contributes.configuration as [typeof first, typeof second];
    assert.deepEqual([one.title, two.title, two.order], ['T', 'U', 2]);
    assert.deepEqual(Object.keys(one.properties), ['other', 'mcpHost.servers']);
    assert.equal(two.properties['mcpHost.inputs'].order, 7);
    assert.ok(!('stale' in two.properties['mcpHost.inputs']));
    assert.deepEqual(first.properties, { other });
  });

  it('has its settings in titled categories, each setting in its own place', () => {
    const { contributes } = readManifest() as {
      contributes: { configuration: { title: string; order: number; properties: Record<string, { order: number }> }[] };
    };
    const categories = contributes.configuration;
    assert.ok(categories.length > 1);
    assert.deepEqual(
      categories.map(({ order }) => order),
      categories.map((_, index) => index + 1),
    );
    for (const { title, properties } of categories) {
      assert.match(title, /^%configuration\.\w+%$/);
      const orders = Object.values(properties).map(({ order }) => order);
      assert.deepEqual(
        orders,
        orders.map((_, index) => index + 1),
        title,
      );
    }
  });

  it('names the limits of connections that count where a person sets none', () => {
    const { contributes } = readManifest() as {
      contributes: {
        configuration: { properties: Record<string, { properties: Record<string, { default: unknown }> }> }[];
      };
    };
    const [limits = assert.fail()] = contributes.configuration.flatMap(one => one.properties['mcpHost.limits'] ?? []);
    const { messageBytes, ...others } = limitsOf({});
    assert.deepEqual(
      Object.fromEntries(Object.entries(limits.properties).map(([name, { default: value }]) => [name, value])),
      { messageMegabytes: messageBytes / 1024 / 1024, ...others },
    );
  });

  it('names the limits of sampling that count where a person sets none', () => {
    const { contributes } = readManifest() as {
      contributes: { configuration: { properties: Record<string, { default: unknown }> }[] };
    };
    const settings = Object.assign({}, ...contributes.configuration.map(({ properties }) => properties));
    for (const [name, value] of Object.entries(DEFAULT_LIMITS))
      assert.equal(settings[`mcpHost.sampling.${name}`].default, value, name);
  });

  it('gets its configuration even when it has none', () => {
    for (const key of GENERATED) assert.ok(generatedPart(withGeneratedSchema({}), key));
  });
});

describe('a generated page', () => {
  for (const page of GENERATED_PAGES) {
    it(`is up to date: ${page} @manifest.date`, () => {
      assert.equal(readPage(page), madePage(page, readPage(page)), 'Run: npm run generate');
    });
  }
});

const plain = (value: unknown) => JSON.parse(JSON.stringify(value));
