import { isMap, isSeq, stringify } from 'yaml';
import { indentedJson, isObject } from '../../../base/json';
import { PhraseError, phrase } from '../../../base/phrase';
import { isSecretName, knownTokens } from '../../../base/secretWords';
import { visible } from '../../../base/text';
import { readYaml } from '../../../base/yamlText';
import { REDACTED } from '../../../host';
import { append } from '../../settings/core';
import { textOfResult } from './checkResult';
import { readTestFile } from './readTestFile';
import type { Expectation, TestStep } from './testSchema';

/** A request that was made of a server, with what came of it. */
export interface RecordedRequest {
  readonly method: string;
  readonly params: unknown;
  /** Missing: it was not answered. */
  readonly outcome?: { readonly result: unknown } | { readonly error: unknown };
}

interface RecordedStep {
  readonly name: string;
  readonly step: TestStep;
  /** Whether there was a secret in it, in whose place is `REDACTED` now. */
  readonly isStruck: boolean;
}

/** A longer text is expected by its first line, longer data by its text. */
const MAX_TEXT = 500;
const MAX_LINE = 200;
const MAX_DATA = 4_000;
const MAX_NAMES = 50;
const MAX_DEPTH = 50;

/**
 * The step that makes a request again and expects what came of it, without secrets; undefined for requests that no step makes.
 * @param redact strikes out the secrets of the server.
 */
export function recordedStep(
  { method, params, outcome }: RecordedRequest,
  redact: (text: string) => string,
): RecordedStep | undefined {
  const striking = new Striking(redact);
  const given = striking.out(isObject(params) ? params : {}) as Record<string, unknown>;
  const action = actionOf(method, given);
  if (!action) return undefined;
  const expect = outcome && expectationOf(method, striking.out(outcome) as typeof outcome);
  const [[, subject] = []] = Object.entries(action);
  const name = typeof subject === 'string' && !('list' in action) ? subject : method;
  const step = { ...action, ...(expect && Object.keys(expect).length > 0 && { expect }) } as TestStep;
  return { name: visible(name, 80), step, isStruck: striking.found };
}

function actionOf(method: string, { name, arguments: args, uri, ...rest }: Record<string, unknown>) {
  const given = isObject(args) && Object.keys(args).length > 0 ? { arguments: args } : {};
  switch (method) {
    case 'tools/call':
      return { call: String(name), ...given };
    case 'resources/read':
      return { read: String(uri) };
    case 'resources/subscribe':
      return { subscribe: String(uri) };
    case 'prompts/get':
      return { get: String(name), ...given };
    case 'completion/complete': {
      const [ref, argument, context] = [rest.ref, rest.argument, rest.context].map(part =>
        isObject(part) ? part : {},
      );
      const of = ref?.type === 'ref/prompt' ? { prompt: String(ref.name) } : { resource: String(ref?.uri) };
      const typed = { argument: String(argument?.name), value: String(argument?.value ?? '') };
      return { complete: { ...of, ...typed, ...(isObject(context?.arguments) && { arguments: context.arguments }) } };
    }
    case 'tools/list':
    case 'prompts/list':
    case 'resources/list':
      return { list: method.slice(0, -'/list'.length) };
    case 'resources/templates/list':
      return { list: 'resourceTemplates' };
    default:
      return undefined;
  }
}

function expectationOf(method: string, outcome: NonNullable<RecordedRequest['outcome']>): Expectation | undefined {
  if ('error' in outcome) {
    const code = isObject(outcome.error) ? outcome.error.code : undefined;
    return { error: typeof code === 'number' && Number.isInteger(code) ? code : true };
  }
  const { result } = outcome;
  if (!isObject(result)) return undefined;
  if (method === 'completion/complete') {
    const values = isObject(result.completion) ? result.completion.values : undefined;
    return Array.isArray(values) ? { matches: [{ path: '$.values', equals: values }] } : undefined;
  }
  if (method.endsWith('/list')) {
    const [list, key] =
      method === 'resources/templates/list'
        ? ['resourceTemplates', 'uriTemplate']
        : [method.slice(0, -5), method === 'resources/list' ? 'uri' : 'name'];
    const items = Array.isArray(result[list]) ? result[list].filter(isObject).slice(0, MAX_NAMES) : [];
    return { contains: { [list]: items.map(item => ({ [key]: item[key] })) } };
  }
  const isError = result.isError === true && { isError: true };
  const data = isObject(result.structuredContent) ? withoutStruck(result.structuredContent) : undefined;
  if (data !== undefined && JSON.stringify(data).length <= MAX_DATA)
    return { ...isError, contains: { structuredContent: data } };
  const text = shortText(textOfResult(result));
  return { ...isError, ...(text !== '' && { contains: text }) };
}

/** The text, or of a long one a line; of one from which secrets were struck the longest part that is whole. */
function shortText(text: string): string {
  const [whole = ''] = text
    .split(REDACTED)
    .map(part => part.trim())
    .sort((a, b) => b.length - a.length);
  if (whole.length <= MAX_TEXT) return whole;
  return (
    whole
      .split('\n')
      .find(line => line.trim() !== '')
      ?.trim()
      .slice(0, MAX_LINE) ?? ''
  );
}

/** The data without the members that contained a secret. */
function withoutStruck(value: unknown): unknown {
  if (typeof value === 'string') return value.includes(REDACTED) ? undefined : value;
  if (Array.isArray(value)) return value.map(withoutStruck).filter(item => item !== undefined);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).map(([key, item]) => [
    key,
    key.includes(REDACTED) ? undefined : withoutStruck(item),
  ]);
  return Object.fromEntries(kept.filter(([, item]) => item !== undefined));
}

/** Strikes secrets out of JSON values, and knows whether there were any. */
class Striking {
  found = false;

  constructor(private readonly redact: (text: string) => string) {}

  out(value: unknown, depth = 0): unknown {
    if (depth > MAX_DEPTH) return REDACTED;
    if (typeof value === 'string') return this.#text(value);
    if (typeof value === 'number') return this.redact(String(value)) === String(value) ? value : this.#struck();
    if (Array.isArray(value)) return value.map(item => this.out(item, depth + 1));
    if (!isObject(value)) return value;
    const entries = Object.entries(value).map(([key, item]) => {
      const isSecret = isSecretName(key) && (typeof item === 'string' || typeof item === 'number') && item !== '';
      return [this.#text(key), isSecret ? this.#struck() : this.out(item, depth + 1)];
    });
    return Object.fromEntries(entries);
  }

  #text(text: string): string {
    const known = knownTokens(text).reduce((rest, { value }) => rest.replaceAll(value, REDACTED), text);
    const struck = this.redact(known);
    if (struck.includes(REDACTED)) this.found = true;
    return struck;
  }

  #struck(): string {
    this.found = true;
    return REDACTED;
  }
}

const YAML = { lineWidth: 110, indent: 2 } as const;

/** The test as lines of YAML, to be pasted below `tests:`. */
export const testAsYaml = ({ name, step }: RecordedStep): string => stringify([{ name, steps: [step] }], YAML);

/**
 * A test file with one test more; everything else stays as it is written.
 * @param text of the file; empty: a new one, of the server with this name.
 * @returns the text, and the line of the new test, from 0.
 * @throws PhraseError if there are mistakes in the file.
 */
export function withTest(
  text: string,
  fileName: string,
  server: string,
  { name, step }: RecordedStep,
): { text: string; line: number } {
  const isNew = text.trim() === '';
  const isJson = /\.json$/i.test(fileName);
  const { file } = isNew ? { file: undefined } : readTestFile(text, fileName);
  if (!isNew && !file)
    throw new PhraseError(phrase('There are mistakes in {0}. Correct them first.', visible(fileName)));
  const names = new Set(file?.tests.map(test => test.name));
  let unused = name;
  for (let n = 2; names.has(unused); n++) unused = `${name} ${n}`;
  const test = { name: unused, steps: [step] };
  const changed = () => {
    if (!isNew) return isJson ? append(text, ['tests'], undefined, test) : withYamlTest(text, test);
    const whole = { server, tests: [test] };
    return isJson ? `${indentedJson(whole)}\n` : stringify(whole, YAML);
  };
  const result = changed();
  const added = readTestFile(result, fileName).file?.tests.find(
    ({ name }) => name === unused || name.startsWith(`${unused} (`),
  );
  return { text: result, line: added?.place.line ?? 0 };
}

function withYamlTest(text: string, test: object): string {
  // It was read before, and has no key twice.
  const { document } = readYaml(text, { characters: Number.POSITIVE_INFINITY, twins: true });
  if (!document) return text;
  const tests = isMap(document.contents) ? document.get('tests', true) : undefined;
  const [start, end] = (isSeq(tests) && !tests.flow && tests.range) || [];
  if (start === undefined || end === undefined) {
    document.addIn(['tests'], test);
    return document.toString(YAML);
  }
  const indent = ' '.repeat(start - (text.lastIndexOf('\n', start - 1) + 1));
  const lines = stringify([test], YAML)
    .trimEnd()
    .replace(/^(?=.)/gm, indent);
  return `${text.slice(0, end).trimEnd()}\n\n${lines}\n${text.slice(end).replace(/^\s*\n/, '')}`;
}
