import type { Prompt, ResourceTemplateType, Tool } from '@modelcontextprotocol/client';
import { isObject } from '../../../base/json';
import { type Phrase, phrase } from '../../../base/phrase';
import { hasHidden, visible } from '../../../base/text';
import { type ServerConnection, schemaFault } from '../../../host';
import { CATALOG_KINDS, type CatalogKind, type ExcludedItem } from '../../../host/catalog';
import { schemaForModel } from '../../languageModel/core';
import { alikePairs } from './alikePairs';

type Severity = 'warning' | 'hint';

/** The rules; each has a heading of its name in `docs/checks.md`. `warning`: users of the server are affected. */
export const RULES = {
  'left-out': 'warning',
  'hidden-text': 'warning',
  'commands-for-models': 'warning',
  'missing-description': 'warning',
  'long-description': 'hint',
  'missing-argument-description': 'hint',
  'missing-title': 'hint',
  'odd-name': 'warning',
  alike: 'warning',
  'refused-schema': 'warning',
  contradiction: 'warning',
  'unannounced-change': 'warning',
  'fault-answer': 'warning',
  'fault-silence': 'warning',
  conformance: 'warning',
} as const satisfies Record<string, Severity>;
type LintRule = keyof typeof RULES;

/** Something that could be better about a server. */
export interface Finding {
  readonly rule: LintRule;
  readonly severity: Severity;
  /** Such as `tools/add_note`; empty for the server itself. */
  readonly where: string;
  readonly message: Phrase;
}

export interface LintedServer {
  readonly instructions: string | undefined;
  readonly tools: readonly Tool[];
  readonly prompts: readonly Prompt[];
  readonly resourceTemplates: readonly ResourceTemplateType[];
  /** Items that are no use, by the list they are in. */
  readonly excluded: readonly (ExcludedItem & { readonly kind: CatalogKind })[];
  /** Lists that changed although the server does not declare `listChanged`. */
  readonly changedUnannounced: readonly CatalogKind[];
}

type Report = (rule: LintRule, where: string, message: Phrase, severity?: Severity) => void;

const MAX_FINDINGS = 100;
/** A model reads all descriptions of all servers with every question. */
const MAX_DESCRIPTION = 2_000;
const MAX_INSTRUCTIONS = 4_000;
const NAME = /^[A-Za-z0-9_.-]{1,64}$/;
const MAX_LISTED = 8;

/** Texts that tell a model what to do instead of what something is. */
const COMMANDS = [
  /\b(ignore|disregard|forget|override)\b.{0,40}\b(previous|prior|above|other|all)\b.{0,40}\b(instruction|prompt|rule|tool|message)s?/i,
  /\b(do not|don't|never)\b.{0,30}\b(tell|mention|inform|reveal|show)\b.{0,30}\b(the )?(user|person|human)\b/i,
  // Not to ask which of several things is meant is a matter of taste.
  /\b(do not|don't|never)\b.{0,30}\bask\b.{0,40}\b(confirm|permission|approv|consent)/i,
  /\b(before|instead of|prior to)\b.{0,30}\b(using|calling|any)\b.{0,20}\b(any )?other tools?\b/i,
  /<\s*(important|system|instructions?|secret)\s*>/i,
  /\bsystem prompt\b/i,
  /\byou must (always|first)\b.{0,40}\b(call|use|read|send)\b/i,
];
const CHANGES =
  /(^|[_.-])(delete|remove|drop|destroy|erase|write|overwrite|update|create|insert|send|publish)([_.-]|$)/i;

/** Findings about a server's lists, the most serious first. */
export function lint(server: LintedServer): Finding[] {
  const findings: Finding[] = [];
  const report: Report = (rule, where, message, severity = RULES[rule]) => {
    if (findings.length < MAX_FINDINGS) findings.push({ severity, rule, where, message });
  };
  for (const { kind, name, reason } of server.excluded)
    report('left-out', `${kind}/${name}`, phrase('It is left out: {0}.', reason));
  for (const kind of server.changedUnannounced)
    report(
      'unannounced-change',
      kind,
      phrase('The list has changed, but the server does not declare {0}, so clients do not notice.', 'listChanged'),
    );
  lintText('instructions', server.instructions, report);
  if ((server.instructions?.length ?? 0) > MAX_INSTRUCTIONS)
    report(
      'long-description',
      'instructions',
      phrase('They have {0} characters, which are sent with each question to a model.', server.instructions!.length),
    );
  for (const tool of server.tools) lintTool(tool, report);
  for (const prompt of server.prompts) lintPrompt(prompt, report);
  for (const template of server.resourceTemplates)
    lintItem(`resourceTemplates/${template.uriTemplate}`, template, report);
  lintTitles('tools', server.tools, report);
  lintTitles('prompts', server.prompts, report);
  for (const { one, other, by } of alikePairs(server.tools))
    report(
      'alike',
      `tools/${one}`,
      by === 'name'
        ? phrase('Its name is nearly that of {0}.', visible(other, 100))
        : phrase('Its description is nearly that of {0}.', visible(other, 100)),
    );
  return findings.sort((a, b) => Number(a.severity === 'hint') - Number(b.severity === 'hint'));
}

function lintTool(tool: Tool, report: Report): void {
  const where = `tools/${tool.name}`;
  lintItem(where, tool, report);
  if (!NAME.test(tool.name))
    report(
      'odd-name',
      where,
      phrase('Model providers take names of at most 64 letters, digits, "_" and "-". Others are changed.'),
    );
  const { annotations = {}, inputSchema } = tool;
  if (annotations.readOnlyHint === true && annotations.destructiveHint === true)
    report(
      'contradiction',
      where,
      phrase('It claims to be both read-only and destructive ({0}).', 'readOnlyHint, destructiveHint'),
    );
  else if (annotations.readOnlyHint === true && CHANGES.test(tool.name))
    report(
      'contradiction',
      where,
      phrase('It claims to be read-only ({0}), but its name suggests that it changes something.', 'readOnlyHint'),
    );
  const fault = schemaFault(inputSchema);
  if (fault) report('contradiction', where, phrase('Its input schema {0}.', fault));
  const made = schemaForModel(tool);
  if ('problem' in made) report('refused-schema', where, phrase('It is not offered to models: {0}.', made.problem));
  else if (made.renamed.size > 0)
    report(
      'refused-schema',
      where,
      phrase('Model providers refuse the names of these arguments: {0}', listed([...made.renamed.values()])),
      'hint',
    );
  const properties = isObject(inputSchema.properties) ? inputSchema.properties : {};
  lintArguments(
    { where, about: `${tool.name} ${tool.description ?? ''}` },
    Object.entries(properties).map(([name, schema]) => ({
      ...(isObject(schema) && { schema, description: schema.description }),
      name,
    })),
    report,
  );
}

function lintPrompt(prompt: Prompt, report: Report): void {
  const where = `prompts/${prompt.name}`;
  lintItem(where, prompt, report);
  const about = `${prompt.name} ${prompt.description ?? ''}`;
  lintArguments({ where, about }, prompt.arguments ?? [], report);
}

function lintArguments(
  { where, about }: { readonly where: string; readonly about: string },
  all: readonly Argument[],
  report: Report,
): void {
  for (const { name, description } of all)
    if (typeof description === 'string') lintText(`${where}/${name}`, description, report);
  const known = new Set(wordsOf(about.slice(0, MAX_TEXT)).map(singular));
  const silent = all.filter(argument => needsDescription(argument, known));
  if (silent.length > 0)
    report(
      'missing-argument-description',
      where,
      phrase('These arguments have no description: {0}', listed(silent.map(({ name }) => name))),
    );
}

function lintItem(
  where: string,
  { name, title, description }: { name: string; title?: string | undefined; description?: string | undefined },
  report: Report,
): void {
  if (hasHidden(name) || hasHidden(title ?? '')) reportHidden(where, report);
  if (!description?.trim())
    report('missing-description', where, phrase('It has no description: a model can only guess what it is for.'));
  else if (description.length > MAX_DESCRIPTION)
    report(
      'long-description',
      where,
      phrase('Its description has {0} characters, which are sent with each question to a model.', description.length),
    );
  lintText(where, description, report);
}

function lintText(where: string, text: string | undefined, report: Report): void {
  if (!text) return;
  if (hasHidden(text)) reportHidden(where, report);
  // The commands look for words that are near each other: a line at a time is enough, and bounded.
  const command = text
    .slice(0, 50_000)
    .split(/\n/)
    .flatMap(line => COMMANDS.map(pattern => pattern.exec(line.slice(0, 2_000))?.[0] ?? []))
    .flat()[0];
  if (command !== undefined)
    report(
      'commands-for-models',
      where,
      phrase(
        'It gives the model orders: "{0}". Instead, describe what it does and when to use it.',
        visible(command, 120),
      ),
    );
}

const reportHidden = (where: string, report: Report) =>
  report(
    'hidden-text',
    where,
    phrase('It contains invisible characters. Their codes are shown instead, to models too.'),
  );

function lintTitles(
  kind: 'tools' | 'prompts',
  items: readonly {
    name: string;
    title?: string | undefined;
    annotations?: { title?: string | undefined } | undefined;
  }[],
  report: Report,
): void {
  const untitled = items.filter(({ title, annotations }) => !title?.trim() && !annotations?.title?.trim());
  if (untitled.length > 0)
    report(
      'missing-title',
      kind,
      phrase('These have no title for people: {0}', listed(untitled.map(({ name }) => name))),
    );
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, MAX_LISTED).map(name => visible(name, 60));
  return [...shown, ...(names.length > shown.length ? ['…'] : [])].join(', ');
}

interface Argument {
  readonly name: string;
  readonly description?: unknown;
  readonly schema?: Readonly<Record<string, unknown>>;
}

/** Names that every API uses in the same sense. */
const USUAL = new Set(
  'path paths url urls id ids limit max results timeout ms number offset skip start page size per cursor session source destination content name query search title body'.split(
    ' ',
  ),
);
const MAX_DEPTH = 6;
const MAX_TEXT = 20_000;

/**
 * Whether a model has to guess what an argument means: nothing describes it, neither its schema, what it holds, nor the text about
 * its tool, and its name is not one that every API uses.
 * @param known words of the name and description of the tool or prompt.
 */
function needsDescription({ name, description, schema }: Argument, known: ReadonlySet<string>): boolean {
  if (typeof description === 'string' && description.trim() !== '') return false;
  if (schema && saysItself(schema, 0)) return false;
  return !wordsOf(name).every(word => USUAL.has(word) || known.has(singular(word)));
}

/** Whether a schema names the only values, takes none, or describes something below it. */
function saysItself(schema: Readonly<Record<string, unknown>>, depth: number): boolean {
  if (Array.isArray(schema.enum) || schema.const !== undefined) return true;
  if (depth > MAX_DEPTH) return false;
  const { properties, items, anyOf, oneOf, allOf } = schema;
  if (isObject(properties) && Object.keys(properties).length === 0) return true;
  const below = [...(isObject(properties) ? Object.values(properties) : []), items, anyOf, oneOf, allOf].flat();
  return below.some(
    one =>
      isObject(one) && ((typeof one.description === 'string' && one.description.trim()) || saysItself(one, depth + 1)),
  );
}

const wordsOf = (text: string): string[] =>
  text
    .replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];
const singular = (word: string) => word.replace(/(?<=..)s$/, '');

/** Findings that a person has taken note of, by rule, or by rule and place, with the reason. */
type SilencedFindings = Readonly<Record<string, string>>;

export function unsilenced(findings: readonly Finding[], silenced: SilencedFindings): readonly Finding[] {
  return findings.filter(({ rule, where }) => ![rule, `${rule} ${where}`].some(key => Object.hasOwn(silenced, key)));
}

/** A server's current lists. A list that changed although its server announces no changes has changed unannounced. */
export async function offeredBy(server: ServerConnection): Promise<LintedServer> {
  const { catalog, info } = server;
  const texts = () => CATALOG_KINDS.map(kind => JSON.stringify(catalog.list(kind).items));
  const before = texts();
  const supported = CATALOG_KINDS.filter(kind => catalog.list(kind).status !== 'unsupported');
  await Promise.all(supported.map(kind => catalog.load(kind)));
  const now = texts();
  return {
    instructions: info?.instructions,
    tools: catalog.tools,
    prompts: catalog.prompts,
    resourceTemplates: catalog.resourceTemplates,
    excluded: supported.flatMap(kind => (catalog.list(kind).excluded ?? []).map(item => ({ kind, ...item }))),
    changedUnannounced: CATALOG_KINDS.filter(
      (kind, index) => before[index] !== now[index] && supported.includes(kind) && !server.announces(kind),
    ),
  };
}
