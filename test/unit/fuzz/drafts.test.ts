import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parse } from 'jsonc-parser';
import { canonicalJson } from '../../../src/base/fingerprint';
import { exact } from '../../../src/base/text';
import { exportText } from '../../../src/features/setup/core/exportText';
import { readPasted } from '../../../src/features/setup/core/hostDialects';
import { secretsToInputs } from '../../../src/features/setup/core/missingValues';
import { type DraftInput, planAddition, type ServerDraft } from '../../../src/features/setup/core/serverDraft';
import { addToSettings } from '../../../src/features/setup/core/settingsText';
import { resolveDefinitions } from '../../../src/host';
import { launchFields } from '../../../src/host/launch/launchReview';
import { parseServers } from '../../../src/host/settings';
import { holds } from './fuzz';
import { hiddenIn, hostile, leaks, names, oneOf, pick } from './texts';
import { contextOf, entries, inputs, type Json, json } from './values';

interface Pasted {
  text: string;
  secrets: string[];
}

/** A whole file or a part of one, as READMEs have it: JSON with comments, YAML, in a fence or cut off. */
const pasted: fc.Arbitrary<Pasted> = fc
  .record({
    servers: fc.array(fc.tuple(names, entries), { minLength: 1, maxLength: 3 }),
    inputs,
    wrapper: pick('mcpServers', 'servers', 'mcpHost.servers', 'context_servers', ''),
    around: pick<(text: string) => string>(
      text => text,
      text => `Add this:\n\`\`\`json\n${text}\n\`\`\`\nand restart.`,
      text => text.slice(1, -1),
      text => `// a comment\n${text},`,
      text => text.slice(0, -3),
    ),
    spaces: pick(0, 2),
    noise: oneOf<string>([6, fc.constant('')], [1, hostile]),
  })
  .map(({ servers, inputs, wrapper, around, spaces, noise }) => {
    const members = Object.fromEntries(servers.map(([name, { entry }]) => [name, entry]));
    const value = wrapper ? { [wrapper]: members, inputs } : { ...members };
    const text = around(JSON.stringify(value, null, spaces)) + noise;
    return { text, secrets: servers.flatMap(([, { secrets }]) => secrets) };
  });
const anything = oneOf<Pasted>(
  [8, pasted],
  [1, hostile.map(text => ({ text, secrets: [] }))],
  [1, json.map(value => ({ text: JSON.stringify(value), secrets: [] }))],
  [
    1,
    fc
      .tuple(pick('{"servers":', '[', '{a: ', '- ', '"', '```json\n', '&a [*a, '), fc.integer({ min: 2, max: 200 }))
      .map(([text, times]) => ({ text: text.repeat(times), secrets: [] })),
  ],
);

/** As it would stand in settings of the person, with nothing in them yet. */
function written(drafts: readonly ServerDraft[], text = '{}'): { servers: Json; inputs: unknown; text: string } {
  const edit = addToSettings(text, planAddition(drafts, { servers: {}, inputs: [] }));
  assert.ok(edit, 'it is written');
  const after = text.slice(0, edit.offset) + edit.content + text.slice(edit.offset + edit.length);
  const { 'mcpHost.servers': servers = {}, 'mcpHost.inputs': all } = parse(after) as Record<string, Json>;
  return { servers, inputs: all, text: after };
}

const window = contextOf({ config: { 'a.b': 'x' }, workspaceKeys: [] });
const define = (servers: unknown, all: unknown) =>
  resolveDefinitions([{ source: { scope: 'user' }, value: servers, inputs: all, variables: window }]).definitions;

/** What would be launched, whatever ids its inputs have got. */
function launches(servers: unknown, all: unknown): string[] {
  return define(servers, all).map(({ entry, inputs }) => {
    const ids = new Map((inputs?.definitions ?? []).map(({ id }, index) => [id, `input-${index}`]));
    const definitions = inputs?.definitions.map(input => ({ ...input, id: ids.get(input.id) }));
    const text = canonicalJson({ entry, definitions }).replace(/\$\{input:([^{}]*)\}/g, (whole, id: string) =>
      ids.has(id) ? `\${input:${ids.get(id)}}` : whole,
    );
    return text;
  });
}

describe('fuzz: pasted drafts', () => {
  holds(
    'anything may be pasted: it is read without an error, and brings no value that nobody gave',
    'pasted',
    anything,
    ({ text }) => {
      for (const { name, entry, inputs: brought, values } of readPasted(text)) {
        assert.ok(typeof name === 'string' && name.length <= 100);
        assert.deepEqual(hiddenIn(name), [], 'a name is seen');
        assert.ok(typeof entry === 'object');
        assert.ok(Array.isArray(brought));
        for (const value of values.values()) assert.equal(typeof value, 'string');
      }
    },
  );

  holds(
    'no command of the editor is in one that its review does not show whole @drafts.command-editor-review',
    'commands',
    anything,
    ({ text }) => {
      for (const draft of readPasted(text)) {
        for (const { inputs: used, reviewed } of define({ one: draft.entry }, draft.inputs)) {
          if (!reviewed) continue;
          const definitions = used?.definitions ?? [];
          const shown = launchFields(reviewed, definitions, '', Number.POSITIVE_INFINITY).filter(
            ({ kind }) => kind === 'input',
          );
          assert.equal(shown.length, definitions.length);
          for (const [index, input] of definitions.entries()) {
            assert.equal(shown[index]!.name, input.id);
            if (input.type !== 'command') continue;
            assert.ok(shown[index]!.text.includes(exact(input.command)), 'the command');
            if (input.args !== undefined)
              assert.ok(shown[index]!.text.includes(exact(canonicalJson(input.args))), 'its arguments');
          }
        }
      }
    },
  );

  holds(
    'what was shown is what is written, and what settings then run @drafts.shown-written-settings',
    'written',
    anything,
    ({ text }) => {
      for (const draft of readPasted(text)) {
        const { servers, inputs: all } = written([draft]);
        assert.deepEqual(Object.keys(servers).length, 1);
        assert.deepEqual(launches(servers, all), launches({ [draft.name]: draft.entry }, draft.inputs));
      }
    },
  );

  holds(
    'no secret is written into settings or exported @drafts.secret-written-settings',
    'exported',
    pasted,
    ({ text, secrets }) => {
      for (const draft of readPasted(text)) {
        // One that can't be used is neither added nor exported.
        if (!parseServers({ [draft.name]: draft.entry }).servers[0]?.entry) continue;
        const safe = secretsToInputs(draft, { byName: true });
        const { text: settings } = written([safe]);
        assert.deepEqual(leaks(settings, secrets), [], 'in settings');
        const used = safe.inputs as DraftInput[];
        const exported = exportText([{ name: draft.name, entry: draft.entry, inputs: used }]);
        assert.deepEqual(leaks(exported, secrets), [], 'in an export');
      }
    },
  );
});
