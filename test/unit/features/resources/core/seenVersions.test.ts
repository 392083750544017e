import assert from 'node:assert/strict';
import type { ResourceContent } from '../../../../../src/features/resources/core/resourceContent';
import { SeenVersions } from '../../../../../src/features/resources/core/seenVersions';

const address = (uri: string) => ({ serverId: 'server', uri });
const content = (text: string, kind: ResourceContent['kind'] = 'text'): ResourceContent => {
  const bytes = Buffer.from(text);
  return { mimeType: undefined, kind, bytes, shown: bytes };
};

describe('SeenVersions', () => {
  it('differ only from what was seen before', () => {
    const seen = new SeenVersions();
    assert.equal(seen.differs(address('a'), content('1')), false);
    seen.set(address('a'), content('1'));
    assert.equal(seen.differs(address('a'), content('1')), false);
    assert.equal(seen.differs(address('a'), content('2')), true);
    assert.equal(seen.differs(address('b'), content('2')), false);
    assert.equal(seen.get(address('a'))?.text, '1');
    seen.set(address('b'), content('1'));
    seen.keepOnly(({ uri }) => uri === 'b');
    assert.equal(seen.get(address('a')), undefined);
    assert.equal(seen.get(address('b'))?.text, '1');
  });

  it('keep no bytes and no large text, and still detect changes', () => {
    const seen = new SeenVersions();
    for (const large of [content('bytes', 'binary'), content('x'.repeat(1024 * 1024 + 1))]) {
      seen.set(address('a'), large);
      assert.equal(seen.get(address('a'))?.text, undefined);
      assert.equal(seen.differs(address('a'), content('2')), true);
    }
  });

  it('keep 16 MB in total, and drop the oldest', () => {
    const seen = new SeenVersions();
    const megabyte = content('x'.repeat(1024 * 1024));
    for (let i = 0; i < 17; i++) seen.set(address(`${i}`), megabyte);
    assert.equal(seen.get(address('15'))?.text?.length, 1024 * 1024);
    assert.equal(seen.get(address('16'))?.text, undefined);
    seen.set(address('3'), content('small'));
    seen.set(address('16'), megabyte);
    assert.equal(seen.get(address('16'))?.text, undefined);
    seen.delete(address('4'));
    seen.set(address('16'), megabyte);
    assert.equal(seen.get(address('16'))?.text?.length, 1024 * 1024);
  });
});
