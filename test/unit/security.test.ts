import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { missingTests } from '../conformance/provedTables';
import { AREAS, readThreats } from '../security/threats';
import { inRepository } from '../setup/paths';

const threats = readThreats();

describe('the threats', () => {
  it('each have a defence and a test', () => {
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

  it('name existing tests', () => {
    for (const { threat, tests } of threats) assert.deepEqual(missingTests(tests), [], threat);
  });
});
