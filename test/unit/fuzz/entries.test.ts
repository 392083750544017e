import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parse } from 'jsonc-parser';
import {
  duplicateEntry,
  isReadable,
  removeEntry,
  renameEntry,
  setEnabled,
  takeBack,
} from '../../../src/features/settings/core/settingsEdit';
import { holds } from './fuzz';
import { pick } from './texts';

/** What may stand between any two tokens. */
const gap = pick('', ' ', '\n', '\n  ', '\r\n    ', '\t', '/* c */', ' /* c */ ', ' // l\n', '\n// m\n    ');
const value = pick('1', '"a,}"', '[1, 2]', '{"x": 1}', 'null', '"// no comment"');
const comma = pick('', '', '', ',');

const entry = fc
  .tuple(fc.array(fc.tuple(gap, gap, gap, value, gap), { maxLength: 3 }), comma, gap)
  .map(([members, last, end]) => {
    const written = members.map(([a, b, c, text, d], n) => `${a}"k${n}"${b}:${c}${text}${d}`);
    return `{${written.join(',')}${members.length > 0 ? last : ''}${end}}`;
  });

const file = fc
  .tuple(fc.array(fc.tuple(gap, gap, gap, entry, gap), { minLength: 1, maxLength: 4 }), comma, gap, gap, gap)
  .map(([members, last, a, b, c]) => {
    const servers = members.map(([d, e, f, text, g], n) => `${d}"s${n}"${e}:${f}${text}${g}`).join(',');
    return { text: `{${a}"x": 1,${b}"mcpHost.servers": {${servers}${last}${c}} }\n`, servers: members.length };
  });

const serversIn = (text: string): Record<string, object> => {
  assert.ok(isReadable(text), text);
  return parse(text)['mcpHost.servers'];
};

describe('any settings file', () => {
  holds(
    'with an entry changed has the others as they were, and the change can be taken back',
    'entryEdits',
    fc.tuple(file, fc.nat(3)),
    ([{ text, servers }, n]) => {
      const name = `s${n % servers}`;
      const all = serversIn(text);
      const { [name]: own, ...others } = all;

      const removed = removeEntry(text, name, {})!;
      assert.deepEqual(serversIn(removed), others);
      assert.equal(takeBack(text, removed, removed), text);
      const since = `${removed}\n// since`;
      assert.ok([undefined, `${text}\n// since`].includes(takeBack(text, removed, since)));

      const disabled = setEnabled(text, name, false, {})!;
      assert.deepEqual(serversIn(disabled), { ...all, [name]: { ...own, enabled: false } });
      assert.deepEqual(serversIn(setEnabled(disabled, name, true, {})!), all);

      const duplicated = duplicateEntry(text, name, 'copy', {})!;
      assert.deepEqual(serversIn(duplicated), { ...all, copy: { ...own, enabled: false } });

      const renamed = renameEntry(text, name, 'a "name"', {})!;
      assert.deepEqual(serversIn(renamed), { ...others, 'a "name"': own });
    },
  );
});
