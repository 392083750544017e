import assert from 'node:assert/strict';
import {
  GENERATED,
  generatedPart,
  readManifest,
  readManifestTexts,
  withGeneratedSchema,
  withGeneratedTexts,
} from '../setup/manifest';
import { PAGES, type PageWithSettings, readPage, withSettings } from '../setup/settingsTable';

describe('package.json', () => {
  for (const key of GENERATED) {
    it(`has the JSON schema of the code for ${key}`, () => {
      const manifest = readManifest();
      const message = `"${key}" in package.json is not what src/host/settings says. Run: npm run generate`;
      assert.deepEqual(generatedPart(manifest, key), plain(generatedPart(withGeneratedSchema(manifest), key)), message);
    });
  }

  it('has the texts of these schemas in package.nls.json', () => {
    assert.deepEqual(readManifestTexts(), withGeneratedTexts(readManifestTexts()), 'Run: npm run generate');
  });

  it('keeps everything else when it is generated', () => {
    const other = { type: 'boolean' };
    const manifest = { name: 'x', contributes: { views: {}, configuration: { title: 'T', properties: { other } } } };
    const generated = plain(withGeneratedSchema(manifest)) as typeof manifest;
    assert.equal(generated.name, 'x');
    assert.deepEqual(Object.keys(generated.contributes), ['views', 'configuration']);
    assert.equal(generated.contributes.configuration.title, 'T');
    assert.deepEqual(Object.keys(generated.contributes.configuration.properties), ['other', ...GENERATED]);
    assert.deepEqual(manifest.contributes.configuration.properties, { other });
  });

  it('gets its configuration when it has none', () => {
    for (const key of GENERATED) assert.ok(generatedPart(withGeneratedSchema({}), key));
  });
});

describe('the table of settings', () => {
  for (const page of Object.keys(PAGES) as PageWithSettings[]) {
    it(`in ${page} is what package.json says`, () => {
      assert.equal(readPage(page), withSettings(page, readPage(page)), 'Run: npm run generate');
    });
  }
});

const plain = (value: unknown) => JSON.parse(JSON.stringify(value));
