import assert from 'node:assert/strict';
import { rowText } from '../../../src/base/text';

describe('rowText', () => {
  it('breaks icons', () => {
    assert.equal(rowText('$(trash) all $(sync~spin)'), '\\$(trash) all \\$(sync~spin)');
  });

  it('leaves other text unchanged', () => {
    assert.equal(rowText('$(not an icon) $5 (x)'), '$(not an icon) $5 (x)');
  });

  it('shows hidden characters', () => {
    assert.equal(rowText('a\u202eb\nc'), 'a⟨U+202E⟩b c');
  });
});
