import * as z from 'zod'; // see schema.ts
import { canonicalJson } from '../../base/fingerprint';
import { type Phrase, phrase } from '../../base/phrase';
import { describeKind, forExample, quote } from './fieldProblems';
import type { Problem } from './parseServers';

/** Letters, digits and a few other characters, because an id is used within `${input:…}`. */
const ID = /^[^\s{}$:]{1,100}$/;

const id = z.string().regex(ID).meta({ description: 'ID of the input, used as ${input:id}.' });
const description = z.string().max(2_000).optional().describe('What you are asked for.');

const promptString = z.object({
  id,
  type: z.literal('promptString'),
  description,
  default: z
    .string()
    .optional()
    .describe('Initial value. For a password, it is shown as a hint instead, and used if nothing is entered.'),
  password: z
    .boolean()
    .default(false)
    .describe('Whether the value is hidden while it is typed, and kept out of every log.'),
});

const pickString = z.object({
  id,
  type: z.literal('pickString'),
  description,
  options: z
    .array(z.union([z.string(), z.object({ label: z.string().optional(), value: z.string() })]))
    .min(1)
    .describe('The values to choose from, or objects with a label and a value.'),
  default: z.string().optional().describe('Value that is selected initially.'),
});

const command = z.object({
  id,
  type: z.literal('command'),
  description,
  command: z.string().min(1).describe('Editor command that returns the value. It is shown before it runs.'),
  args: z.unknown().refine(isComparable).optional().describe('Argument for the command.'),
});

/** Whether it can be compared with another: approvals depend on that, and all servers of the file are compared. */
function isComparable(value: unknown): boolean {
  try {
    canonicalJson(value);
    return true;
  } catch {
    return false;
  }
}

const input = z.discriminatedUnion('type', [promptString, pickString, command]);

/** A value that the person is asked for once: one element of `mcpHost.inputs`, in the format of VS Code's mcp.json. */
export type InputDefinition = z.output<typeof input>;

interface ParsedInputs {
  /** By id, in the order of the settings. */
  inputs: ReadonlyMap<string, InputDefinition>;
  /** Paths are relative to the value of `mcpHost.inputs`. */
  problems: Problem[];
}

const EXAMPLE = '{ "type": "promptString", "id": "token", "description": "Access token", "password": true }';

/** Reads the value of the setting `mcpHost.inputs`. Never throws: what is wrong becomes a problem, and the rest counts. */
export function parseInputs(value: unknown): ParsedInputs {
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
  for (const [index, raw] of (value ?? []).entries()) {
    const { data, error } = input.safeParse(raw);
    if (!data) {
      const [issue] = error.issues;
      report([index, ...((issue?.path ?? []) as Problem['path'])], whatIsWrong(issue));
    } else if (inputs.has(data.id)) {
      report(
        [index, 'id'],
        phrase('There is another input with the ID {0}, so this one is ignored. Rename or remove it.', quote(data.id)),
      );
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
  if (field === 'args') return phrase('"args" cannot be used because it is nested too deeply.');
  const expected = field === 'password' ? phrase('true or false') : phrase('a text in quotes');
  return phrase('{0} must be {1}.', quote(String(field)), expected);
}

/** The JSON schema of the setting `mcpHost.inputs`. */
export function inputsJsonSchema(): object {
  const { $schema, ...inputs } = z.toJSONSchema(z.array(input), { io: 'input' });
  const prompt = { type: 'promptString', id: '${1:token}', description: '${2:Access token}', password: true };
  const pick = { type: 'pickString', id: '${1:region}', description: '${2:Region}', options: ['${3:eu}', '${4:us}'] };
  return {
    ...inputs,
    default: [],
    markdownDescription: [
      'Values that you are asked for once, when a server in the same settings file needs them: `${input:id}` in its',
      "`env`, `headers`, `args`, `url`, `command` or `cwd`. They are kept in the editor's secret storage, never in settings.",
      `\n\`\`\`json\n"mcpHost.inputs": [\n  ${EXAMPLE}\n]\n\`\`\``,
    ].join('\n'),
    defaultSnippets: [
      { label: 'Input: a secret', body: [prompt] },
      { label: 'Input: a choice', body: [pick] },
    ],
    items: {
      ...(inputs.items as object),
      defaultSnippets: [
        { label: 'A secret, or other text', body: prompt },
        { label: 'A choice', body: pick },
        { label: 'What a command answers', body: { type: 'command', id: '${1:id}', command: '${2:command}' } },
      ],
    },
  };
}
