import * as z from 'zod'; // see schema.ts
import { keepCanonical } from '../../base/fingerprint';
import { type Phrase, phrase } from '../../base/phrase';
import { describeKind, forExample, quote } from './fieldProblems';
import { type Problem, unreadable } from './parseServers';
import { leftOut, SettingsBudget } from './settingsBudget';

/** Letters, digits and a few other characters, because an id is used within `${input:…}`. */
const ID = /^[^\s{}$:]{1,100}$/;

const id = z.string().regex(ID);
const description = z.string().max(2_000).optional();

const promptString = z.object({
  id,
  type: z.literal('promptString'),
  description,
  default: z.string().optional(),
  password: z.boolean().default(false),
});

const pickString = z.object({
  id,
  type: z.literal('pickString'),
  description,
  options: z.array(z.union([z.string(), z.object({ label: z.string().optional(), value: z.string() })])).min(1),
  default: z.string().optional(),
});

const command = z.object({
  id,
  type: z.literal('command'),
  description,
  command: z.string().min(1),
  args: z.unknown().optional(),
});

/** What each field is for says `schema.inputs.…` in package.nls.json. */
export const input = z.discriminatedUnion('type', [promptString, pickString, command]);

/** A value that the person is asked for once: one element of `mcpHost.inputs`, in the format of VS Code's mcp.json. */
export type InputDefinition = z.output<typeof input>;

interface ParsedInputs {
  /** By id, in the order of the settings. */
  inputs: ReadonlyMap<string, InputDefinition>;
  /** Paths are relative to the value of `mcpHost.inputs`. */
  problems: Problem[];
}

/** Of one input, in characters of JSON. It is part of the fingerprint of each server that names it. */
export const MAX_INPUT = 20_000;

const EXAMPLE = '{ "type": "promptString", "id": "token", "description": "Access token", "password": true }';

/**
 * Reads the value of the setting `mcpHost.inputs`. Never throws: what is wrong becomes a problem, and the rest counts.
 * @param budget of the file that it stands in. Inputs that have no room in it are left out.
 */
export function parseInputs(value: unknown, budget = new SettingsBudget()): ParsedInputs {
  const inputs = new Map<string, InputDefinition>();
  const problems: Problem[] = [];
  const report = (path: Problem['path'], message: Phrase) =>
    problems.push({ severity: 'error', setting: 'inputs', path, message });
  if (value !== undefined && !Array.isArray(value)) {
    report(
      [],
      phrase(
        '"mcpHost.inputs" must be a list of inputs, but it is {0}. {1}',
        describeKind(value),
        forExample(`[${EXAMPLE}]`),
      ),
    );
    return { inputs, problems };
  }
  const all: readonly unknown[] = value ?? [];
  for (const [index, raw] of all.entries()) {
    try {
      if (!budget.take('inputs', raw)) {
        problems.push({ ...leftOut(all.length - index, [index]), setting: 'inputs' });
        break;
      }
    } catch (error) {
      problems.push({ ...unreadable([index], error), setting: 'inputs' });
      continue;
    }
    const { data, error } = input.safeParse(raw);
    if (!data) {
      const [issue] = error.issues;
      report([index, ...((issue?.path ?? []) as Problem['path'])], whatIsWrong(issue));
    } else if (inputs.has(data.id)) {
      report(
        [index, 'id'],
        phrase('There is another input with the ID {0}, so this one is ignored. Rename or remove it.', quote(data.id)),
      );
    } else if (keepCanonical(data).length > MAX_INPUT) {
      report([index], phrase('This input has more than {0} characters, so it is ignored. Shorten it.', MAX_INPUT));
    } else {
      inputs.set(data.id, data);
    }
  }
  return { inputs, problems };
}

/** Never quotes the wrong value, which may be a secret. */
function whatIsWrong(issue: z.core.$ZodIssue | undefined): Phrase {
  const [field] = issue?.path ?? [];
  if (field === undefined) return phrase('An input must be an object. {0}', forExample(EXAMPLE));
  if (field === 'id') {
    return phrase(
      '"id" is invalid. An ID has 1 to 100 characters, without spaces and without any of { } $ : {0}',
      forExample('"token"'),
    );
  }
  if (field === 'type') return phrase('"type" must be "promptString", "pickString" or "command".');
  if (field === 'options')
    return phrase('"options" must be a list of at least one string or { "label": …, "value": … }.');
  const expected = field === 'password' ? phrase('true or false') : phrase('a text in quotes');
  return phrase('{0} must be {1}.', quote(String(field)), expected);
}
