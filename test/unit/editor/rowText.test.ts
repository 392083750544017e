import assert from 'node:assert/strict';
import { rowText } from '../../../src/editor/rowText';

describe('text of a server in a row', () => {
  it('makes no icons', () => {
    assert.equal(rowText('$(trash) all $(sync~spin)'), '\\$(trash) all \\$(sync~spin)');
  });

  it('leaves what is no icon as it is', () => {
    assert.equal(rowText('$(not an icon) $5 (x)'), '$(not an icon) $5 (x)');
  });

  it('shows what is hidden', () => {
    assert.equal(rowText('a\u202eb\nc'), 'a⟨U+202E⟩b c');
  });
});
