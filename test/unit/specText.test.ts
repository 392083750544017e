import assert from 'node:assert/strict';
import { placeOf, REVISIONS, readPages, readSentences } from '../conformance/sentences';
import { excuseOf, gaps, readSpecPage, readStored, sentencesOf } from '../conformance/specText';

/** Pages whose rows quote each sentence. */
const QUOTED = ['apps/specification', 'tasks/specification'];

describe('the text of the specification', () => {
  it('is searched for normative sentences by heading, without code and markup', () => {
    const text = `---
title: Page
---

# One

Servers **MUST** do this, e.g. that. Nothing here. Clients should \`ask\`
twice.

\`\`\`ts
// This MUST NOT be found.
\`\`\`

## Two

- Hosts [MAY](https://x.example) decline
- The _other_ SHOULD NOT
  go on. It is REQUIRED.

| a | b |
|---|---|
| c | It is RECOMMENDED |
`;
    const { sections, hash } = readSpecPage(text);
    assert.deepEqual(sections, {
      One: ['Servers MUST do this, e.g. that.', 'Clients should `ask` twice.'],
      Two: ['Hosts MAY decline', 'The other SHOULD NOT go on.', 'It is REQUIRED.', '| c | It is RECOMMENDED |'],
    });
    assert.match(hash, /^[0-9a-f]{16}$/);
  });

  it('is stored for each revision, with its changes and its architecture', () => {
    for (const revision of REVISIONS) assert.ok(Object.keys(readStored(revision)).length > 0, revision);
    for (const revision of REVISIONS.slice(1, 5)) assert.ok('changelog' in readStored(revision), revision);
    for (const revision of REVISIONS.slice(0, 5)) assert.ok('architecture/index' in readStored(revision), revision);
  });

  it('may lack a row for a sentence that introduces a list, permits, or is for servers alone, and no other', () => {
    assert.equal(excuseOf('Clients MUST:'), 'introduces a list');
    assert.equal(excuseOf('Clients MAY retry.'), 'permits');
    assert.equal(excuseOf('When it ends, the server SHOULD say so.'), 'for servers');
    assert.equal(excuseOf('Authorization servers MUST include it.'), 'for servers');
    for (const sentence of [
      'Clients and servers MUST compare them.',
      'If the server answers, the client MUST read it.',
      'Disconnection SHOULD NOT be interpreted as cancellation.',
    ])
      assert.equal(excuseOf(sentence), undefined, sentence);
  });

  for (const page of QUOTED)
    it(`has a row for each sentence, and no row without one: ${page}`, () => {
      const stored = sentencesOf(readStored('extensions')[page]!);
      const rows = readSentences().filter(({ at }) => at.some(text => placeOf(text).page === page));
      assert.deepEqual(rows.map(({ says }) => says).sort(), [...new Set(stored)].sort());
      assert.equal(readPages().extensions?.[page]?.found, stored.length);
      const gap = gaps().find(one => one.page === page);
      assert.deepEqual([gap?.withoutRow, gap?.rowsWithoutSentence], [[], []]);
    });
});
