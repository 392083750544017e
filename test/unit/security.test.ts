import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { testOf } from '../conformance/provedTables';
import { AREAS, readThreats, threatsPage } from '../security/threats';
import { inRepository } from '../setup/paths';

const threats = readThreats();

describe('the threats', () => {
  it('each have a defence and a test @security.defence-test', () => {
    assert.ok(threats.length >= 20, `${threats.length} threats`);
    for (const { threat, defence, tests } of threats) assert.ok(defence && tests.length > 0, threat);
  });

  it('are all read, each once', () => {
    const files = readdirSync(inRepository('test/security')).filter(file => file.endsWith('.json'));
    assert.deepEqual(
      files,
      Object.keys(AREAS)
        .map(area => `${area}.json`)
        .sort(),
    );
    const names = threats.map(({ threat }) => threat);
    assert.deepEqual(
      names.filter((one, i) => names.indexOf(one) !== i),
      [],
    );
  });

  it('name existing tests, and make a page', () => {
    for (const { tests } of threats) tests.forEach(testOf);
    assert.match(threatsPage(), /`unit\/.*test\.ts`: "/);
  });
});
