import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import fc from 'fast-check';
import { canonicalJson } from '../../../src/base/fingerprint';
import { english } from '../../../src/base/phrase';
import { Consents, type StoredConsents } from '../../../src/features/trust/core/consent';
import { resolveDefinitions } from '../../../src/host';
import type { KeptScope, ServerDefinition } from '../../../src/host/definition';
import { settlePaths } from '../../../src/host/definition/definition';
import { commandLine, launchFields } from '../../../src/host/launch/launchReview';
import { programIn, type ServerEntry } from '../../../src/host/settings';
import { announce, holds } from './fuzz';
import { ENV, hiddenIn, hostile, leaks, names, pick } from './texts';
import { contextOf, entries, inputs, json, type SecretEntry, type Variables, variables } from './values';

interface Case {
  scope: 'user' | 'workspace' | 'workspaceFolder';
  name: string;
  entry: SecretEntry;
  inputs: unknown;
  variables: Variables;
}

const cases: fc.Arbitrary<Case> = fc.record({
  scope: pick('user', 'workspace', 'workspaceFolder'),
  name: names,
  entry: entries,
  inputs,
  variables,
});

function define({ scope, name, entry, inputs, variables }: Case): readonly ServerDefinition[] {
  const folder = { name: 'a', path: resolve('/work') };
  const source = { scope, ...(scope === 'workspaceFolder' && { folder }) };
  const value = { [name]: entry.entry };
  return resolveDefinitions([{ source, value, inputs, variables: contextOf(variables) }]).definitions;
}

class Store {
  readonly kept = new Map<KeptScope, StoredConsents>();
  get = (scope: KeptScope) => this.kept.get(scope);
  set = async (scope: KeptScope, consents: StoredConsents) => void this.kept.set(scope, structuredClone(consents));
}

/** What would be launched, and nothing else. */
function launchOf({ entry, inputs }: ServerDefinition): string {
  const { enabled, start, timeouts, logLevel, roots, ...launch } = entry!;
  return canonicalJson({ launch, inputs: inputs?.definitions });
}

const starts = (consents: Consents, definition: ServerDefinition) =>
  'entry' in consents.admit(definition, definition.entry!);

/** One change to a value, somewhere in it. */
const change = fc.record({ at: fc.nat(40), to: hostile, other: json });
function changed(value: unknown, { at, to, other }: { at: number; to: string; other: unknown }): unknown {
  let left = at;
  const visit = (part: unknown): unknown => {
    if (typeof part === 'object' && part !== null) {
      if (Array.isArray(part)) return part.map(visit);
      return Object.fromEntries(Object.entries(part).map(([key, item]) => [key, visit(item)]));
    }
    if (left-- !== 0) return part;
    return typeof part === 'string' ? to : other;
  };
  return visit(value);
}

/** A command line as it is shown, read by the letter: what a person who does so takes it for. */
function readBack(line: string): string[] {
  const words = [...line.matchAll(/"((?:[^"\\]|\\[\s\S])*)"|([^" ]+)/g)].map(([, quoted, bare]) =>
    quoted === undefined ? bare! : quoted.replace(/\\(["\\])/g, '$1'),
  );
  return words.map(word =>
    word
      .replace(/(\$?)\$\{/g, (_all, dollar: string) => (dollar ? '${' : '\0{'))
      .replace(/⟨(\d+) spaces⟩/g, (_all, count: string) => ' '.repeat(Number(count)))
      .replace(/⟨U\+([\dA-F]+)⟩/g, (_all, code: string) => String.fromCodePoint(Number.parseInt(code, 16))),
  );
}

describe('fuzz: settings entries', () => {
  before(announce);

  holds(
    'nothing that a workspace has a part in runs before a person has consented to it @settings.workspace-part-runs',
    'consent',
    cases,
    async one => {
      const consents = new Consents(new Store(), launchFields);
      const elsewhere = { ...one.variables, config: { 'a.b': 'changed-a', proxy: 'changed-b' } };
      const others = one.variables.workspaceKeys.length > 0 ? define({ ...one, variables: elsewhere }) : [];
      for (const definition of define(one)) {
        const { entry, reviewed, fromWorkspace, id } = definition;
        assert.equal(reviewed === undefined, entry === undefined, 'what can be launched can be reviewed');
        if (!entry) continue;
        const other = others.find(candidate => candidate.id === id);
        // All settings but those of the workspace are the same: what differs came from there.
        const config = Object.fromEntries(
          Object.entries(one.variables.config).filter(([key]) => !one.variables.workspaceKeys.includes(key)),
        );
        const [without] = define({ ...one, variables: { ...one.variables, config } });
        const isTheirs = one.scope !== 'user' || !without?.entry || launchOf(without) !== launchOf(definition);
        assert.ok(!isTheirs || fromWorkspace, 'the workspace has a part in it');
        if (!fromWorkspace) continue;
        assert.ok(!starts(consents, definition), 'before anything was said');
        const review = consents.review(definition)!;
        await consents.deny(review);
        assert.ok(!starts(consents, definition), 'after it was denied');
        await consents.allow(review);
        assert.ok(starts(consents, definition), 'after it was allowed');
        if (other?.entry && launchOf(other) !== launchOf(definition))
          assert.ok(!starts(consents, other), 'when a setting of the workspace has changed');
      }
    },
  );

  holds(
    'what was allowed is what runs: any change of it is asked about @settings.allowed-runs-change',
    'change',
    fc.tuple(cases, change),
    async ([one, edit]) => {
      const consents = new Consents(new Store(), launchFields);
      const changedEntry = { ...one.entry, entry: changed(one.entry.entry, edit) };
      for (const definition of define({ ...one, scope: 'workspace' })) {
        const review = consents.review(definition);
        if (!review) continue;
        await consents.allow(review);
        const more = [
          { ...one, scope: 'workspace' as const, entry: changedEntry },
          { ...one, scope: 'workspace' as const, inputs: changed(one.inputs, edit) },
        ];
        for (const other of more.flatMap(define)) {
          if (!other.entry || other.id !== definition.id || launchOf(other) === launchOf(definition)) continue;
          assert.ok(!starts(consents, other));
          assert.ok(!consents.isCurrent(review, other), 'what was shown is not what settings say');
        }
      }
    },
  );

  holds('what was shown is what runs, but for values that are the person’s own', 'shownLaunch', cases, one => {
    for (const { entry, reviewed, place } of define(one)) {
      if (!entry || !reviewed) continue;
      const filled = canonicalJson(reviewed)
        .replace(/\\u0000\{input:/g, '${input:')
        .replace(/\\u0000\{env:([^{}]*)\}/g, (_all, name: string) =>
          JSON.stringify(Object.hasOwn(ENV, name) ? ENV[name as keyof typeof ENV] : '').slice(1, -1),
        );
      // What is relative with a reference in it is settled when that has a value.
      const review = JSON.parse(filled) as ServerEntry;
      const waits = (value: unknown) => typeof value === 'string' && value.includes('\0{input:');
      const settled = settlePaths(review, place, field => waits(programIn(reviewed)?.[field]));
      assert.deepEqual(trimmed(settled), trimmed(entry));
      const program = programIn(reviewed);
      if (!program) continue;
      const words = [program.command, ...program.args];
      // Who writes the sign of a hidden character gets it shown as it is.
      if (words.some(word => word.includes('⟨'))) continue;
      assert.deepEqual(readBack(commandLine(program.command, program.args)), words);
    }
  });

  holds(
    'nothing is out of sight, and no secret in sight, in what is shown and kept of them @settings.sight-secret-sight',
    'hiddenLaunch',
    cases,
    async one => {
      const store = new Store();
      const consents = new Consents(store, launchFields);
      const { secrets } = one.entry;
      for (const definition of define(one)) {
        const said = definition.problems.map(({ message }) => english(message));
        for (const message of said) assert.deepEqual(hiddenIn(message), [], message);
        assert.deepEqual(leaks(said.join('\n'), secrets), [], 'in problems');
        const review = consents.review(definition);
        if (!review) continue;
        for (const { kind, text, name = '' } of review.fields) {
          assert.deepEqual(hiddenIn(text), [], `in ${kind}`);
          assert.deepEqual(leaks(`${name}\n${text}`, secrets), [], `in ${kind} ${name}`);
        }
        await consents.allow(review);
        assert.deepEqual(leaks(JSON.stringify([...store.kept.values()]), secrets), [], 'in storage');
        const { command, args } = { args: [], ...review.reviewed } as { command?: string; args: string[] };
        if (command !== undefined) assert.deepEqual(hiddenIn(commandLine(command, args)), []);
      }
    },
  );
});

/** Checks trim some texts once their variables are known. */
function trimmed(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_key, part) => (typeof part === 'string' ? part.trim() : part));
}
