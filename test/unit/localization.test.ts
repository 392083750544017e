import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { inRepository } from '../setup/paths';
import { LANGUAGES, partsOf, readTexts, textsOfSources } from '../setup/texts';

describe('localization', () => {
  const english = Object.fromEntries(textsOfSources().map(text => [text, text]));
  const files = (language: string) => [
    { file: `l10n/bundle.l10n.${language}.json`, source: english },
    { file: `package.nls.${language}.json`, source: readTexts('package.nls.json') },
  ];

  for (const { file, source } of LANGUAGES.flatMap(files)) {
    it(`${file} has every text, and no unused one`, () => {
      assert.ok(existsSync(inRepository(file)), file);
      const texts = readTexts(file);
      const missing = Object.keys(source).filter(key => !texts[key]?.trim());
      assert.deepEqual(missing, [], `${missing.length} texts are missing`);
      assert.deepEqual(
        Object.keys(texts).filter(key => !(key in source)),
        [],
      );
    });

    it(`${file} keeps placeholders, commands and code`, () => {
      for (const [key, text] of Object.entries(readTexts(file)))
        assert.deepEqual(partsOf(text), partsOf(source[key] ?? ''), `${key}\n${text}`);
    });
  }

  it('has no Markdown in the walkthrough but links and bold text, as the editor draws no other', () => {
    for (const file of ['package.nls.json', ...LANGUAGES.map(language => `package.nls.${language}.json`)])
      for (const [key, text] of Object.entries(readTexts(file)))
        if (/^walkthrough\..*\.description$/.test(key)) assert.doesNotMatch(text.replaceAll('**', ''), /[*`]/, file);
  });

  for (const language of LANGUAGES) {
    const file = `l10n/bundle.l10n.${language}.json`;
    it(`${file} has balanced braces, without which the editor misses later placeholders`, () => {
      for (const text of Object.entries(readTexts(file)).flat())
        assert.doesNotMatch(text.replace(/\{[^{}]*\}/g, ''), /[{}]/);
    });
  }
});
