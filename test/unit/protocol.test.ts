import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { hasNoWindow, hasWindow, mutatedSource, readMutants } from '../conformance/mutantList';
import { LINT, SCENARIO, testOf, tests } from '../conformance/provedTables';
import {
  countStates,
  inWords,
  placeOf,
  REVISIONS,
  readExpectedFailures,
  readPages,
  readSentences,
  STATES,
  sentencesPage,
} from '../conformance/sentences';
import { stale, unlisted } from '../conformance/specText';
import { readThreats } from '../security/threats';
import { inRepository } from '../setup/paths';
import { readFaults } from '../soak/faults';

const read = (file: string) => readFileSync(inRepository(file), 'utf8');
const suite = 'node_modules/@modelcontextprotocol/conformance';
const sentences = readSentences();

describe('the sentences of the specification', () => {
  it('cover all five revisions, each sentence once', () => {
    assert.deepEqual(Object.keys(readPages()), REVISIONS);
    assert.deepEqual(
      [...new Set(sentences.flatMap(({ at }) => at.flatMap(text => placeOf(text).revisions)))].sort(),
      REVISIONS,
    );
    assert.equal(new Set(sentences.map(({ says, at }) => `${says} ${at}`)).size, sentences.length);
  });

  it('are as many on each page as the page has, including those for servers only', () => {
    const listed = new Map<string, number>();
    for (const { revisions, page, sentences: many } of sentences.flatMap(({ at }) => at.map(placeOf))) {
      for (const revision of revisions) {
        const key = `${revision} ${page}`;
        listed.set(key, (listed.get(key) ?? 0) + many);
      }
    }
    for (const [revision, pages] of Object.entries(readPages())) {
      for (const [page, { found, servers }] of Object.entries(pages)) {
        const key = `${revision} ${page}`;
        assert.equal((listed.get(key) ?? 0) + servers, found, key);
        listed.delete(key);
      }
    }
    assert.deepEqual([...listed.keys()], [], 'pages that are not in pages.json');
  });

  it('are all that the stored text of the specification has, unless they are for servers alone', () => {
    assert.deepEqual(unlisted(), []);
  });

  it('are quoted as they are in the stored text', () => {
    assert.deepEqual(stale(), []);
  });

  it('each have a state: met ones a test, all others a reason', () => {
    for (const { says, state, tests = [], why = '' } of sentences) {
      assert.ok(STATES.includes(state), `${says}: ${state}`);
      if (state === 'met') assert.ok(tests.length > 0, `${says}: no test`);
      else assert.ok(why.length > 10, `${says}: no reason`);
    }
    assert.match(
      inWords(countStates(sentences)),
      /^\d+ met, \d+ partly, \d+ not met, \d+ not applicable, \d+ declined, \d+ servers only$/,
    );
  });

  it('name existing tests, and make a page', () => {
    const page = sentencesPage();
    for (const { says } of sentences) assert.ok(page.includes(says.replaceAll('|', '\\|')), says);
  });

  it('name existing scenarios of the official suite', () => {
    const known = [
      ...[...read(`${suite}/dist/index.js`).matchAll(/`([\w./-]+)`/g)].map(([, name]) => name),
      ...readdirSync(inRepository(suite, 'requirements')).flatMap(file =>
        [...read(`${suite}/requirements/${file}`).matchAll(/^ *- (?:scenario: )?(\S+)$/gm)].map(([, name]) => name),
      ),
    ];
    for (const test of sentences.flatMap(({ tests = [] }) => tests)) {
      const { file, title } = testOf(test);
      if (file === SCENARIO) assert.ok(known.includes(title), test);
    }
  });
});

describe('the rules of lint', () => {
  it('that tables name exist', () => {
    const rules = read('test/lint/keptTo.mjs');
    for (const test of [...sentences, ...readThreats()].flatMap(({ tests = [] }) => tests)) {
      const { file, title } = testOf(test);
      if (file === LINT) assert.ok(rules.includes(`id: '${title}'`), test);
    }
  });
});

describe('the ids in titles of tests', () => {
  it('are each named by a table', () => {
    const proofs = [...sentences, ...readThreats(), ...readFaults()].flatMap(({ tests }) => tests ?? []);
    assert.deepEqual(
      [...tests().keys()].filter(id => !proofs.includes(id)),
      [],
    );
  });
});

describe('the mutants of the sentences', () => {
  const mutants = readMutants();
  const named = new Set(sentences.flatMap(row => row.mutants ?? []));

  it('each replace a text that is once in its source', () => {
    for (const mutant of mutants) assert.notEqual(mutant.text, mutant.replacement, mutant.name);
    mutants.forEach(mutatedSource);
  });

  it('have names of their own, by which rows name them that are met and have tests, each without a window or in one', () => {
    const names = mutants.map(({ name }) => name);
    assert.equal(new Set(names).size, names.length);
    assert.deepEqual(names.toSorted(), [...named].sort());
    for (const { says, state, tests = [] } of sentences.filter(row => row.mutants))
      assert.ok(state === 'met' && tests.length > 0 && tests.every(test => hasNoWindow(test) || hasWindow(test)), says);
  });
});

describe('scenarios of the official suite that are expected to fail', () => {
  it('each have a reason, and appear once', () => {
    const groups = readExpectedFailures();
    for (const { reason, scenarios } of groups)
      assert.ok(reason.length > 20 && scenarios.length > 0, String(scenarios));
    const names = groups.flatMap(({ scenarios }) => scenarios);
    assert.equal(new Set(names).size, names.length);
  });
});
