import type { HostError } from '../../base/errors';
import { isObject, ownMember } from '../../base/json';
import { formatDuration } from '../../base/numberText';
import { visible, visibleLines } from '../../base/text';
import { errorText, localized } from '../../editor/errorText';
import { t, verbatim } from '../../editor/window';
import { convertedOnce, isAny, typeText } from '../languageModel';
import type { ArgumentForm } from './core/argumentForm';
import { controlOf, expectations, optionsOf } from './core/fieldChecks';
import type { PageArguments, PageButton, PageField, PageRun, ToItemPage } from './core/itemPageMessages';
import { type ItemRun, isFailed, type RunEnd } from './core/itemRuns';
import type { Field, JsonSchema } from './core/schemaFields';
import type { FormStep } from './core/schemaForm';
import type { PageSubject } from './pageSubject';

import vscode = require('vscode');

const MAX_OPTIONS = 1_000;

export function describeForm(form: ArgumentForm, subject: PageSubject): ToItemPage & { type: 'form' } {
  const none = form.steps.length === 0 ? subject.words.noArguments : '';
  const note = form.isJsonOnly ? t('These arguments are too varied for a form. Enter them as JSON.') : none;
  return {
    type: 'form',
    fields: form.steps.map(step => subject.field(describeField(step, typeTextOf(form.schema, step)))),
    note,
    beside: form.isJsonOnly ? 'json' : form.steps.length > 0 ? subject.beside : undefined,
  };
}

/** @param type what JSON is taken. */
export function describeField(step: FormStep, type = ''): PageField {
  const options = (optionsOf(step) ?? []).slice(0, MAX_OPTIONS);
  const parts = partsOf(step).map(part => describeField({ ...part, path: step.path, required: true }));
  return {
    name: visible(step.path.join('.'), 200),
    title: visible(step.title ?? '', 200),
    description: visibleLines(step.description ?? '', 2_000),
    hint: visible([expectations(step).map(localized).join(', '), type].filter(Boolean).join(': '), 300),
    pattern: step.kind === 'string' ? visible(step.pattern ?? '', 2_000) : '',
    required: step.required,
    kind: controlOf(step),
    options:
      step.kind === 'union' ? step.alternatives.map(kindText) : options.map(({ label }) => visible(localized(label))),
    parts,
    suggests: false,
  };
}

/** The type of a value that is entered as JSON, unless it may be anything. */
function typeTextOf(schema: JsonSchema, { kind, path }: FormStep): string {
  const made = kind === 'json' ? convertedOnce(schema) : undefined;
  if (!made || 'problem' in made || made.renamed.size > 0) return '';
  const node = path.reduce<unknown>((part, name) => ownMember(ownMember(part, 'properties'), name), made.schema);
  return isObject(node) && !isAny(node) ? typeText(node, 0) : '';
}

function partsOf(field: Field): readonly Field[] {
  if (field.kind === 'record') return [field.values];
  return field.kind === 'union' ? field.alternatives : [];
}

/** What a person calls a kind of value. */
function kindText(field: Field): string {
  switch (field.kind) {
    case 'string':
      return t('Text');
    case 'number':
      return field.integer ? t('Whole number') : t('Number');
    case 'boolean':
      return t('Yes or no');
    case 'choice':
      return t('Choice');
    case 'list':
      return t('List');
    case 'record':
      return t('Names and values');
    case 'null':
      return 'null';
    default:
      return 'JSON';
  }
}

export function describeArguments(form: ArgumentForm, subject?: Pick<PageSubject, 'uri'>): PageArguments {
  const words = (problem: Parameters<typeof localized>[0] | undefined) =>
    problem === undefined ? '' : visible(localized(problem), 500);
  return {
    fields: form.fields.map(({ text, chosen, problem, isMissing = false }) => ({
      text,
      chosen,
      problem: words(problem),
      isMissing,
    })),
    json: form.json,
    jsonProblem: words(form.jsonProblem),
    wholeProblem:
      form.wholeProblem === undefined
        ? ''
        : verbatim('This does not match the schema: {0}', visible(form.wholeProblem, 500)),
    canSendAnyway: form.wholeProblem !== undefined,
    uri: visible(subject?.uri(form.args) ?? '', 2_000),
  };
}

export function describeRun({ id, args, at, end, ms }: ItemRun): PageRun {
  const kind = kindOf(end);
  const time = new Date(at).toLocaleTimeString(vscode.env.language);
  const took = ms === undefined ? '' : formatDuration(ms);
  return {
    id,
    kind,
    text: [time, outcome(kind), took].filter(Boolean).join(' · '),
    args: visible(JSON.stringify(args), 300),
  };
}

export function describeResult(run: ItemRun, subject: PageSubject): ToItemPage & { type: 'result' } {
  const { id, end } = run;
  const kind = kindOf(end);
  const about = { type: 'result', id, heading: describeRun(run).text, kind, canOpen: end?.kind === 'result' } as const;
  if (end?.kind === 'result') {
    const said = end.problem ? [{ kind: 'note', text: localized(end.problem) } as const] : [];
    return { ...about, blocks: [...said, ...subject.blocks(end.result)], buttons: subject.resultButtons(run) };
  }
  if (kind === 'cancelled')
    return { ...about, blocks: [{ kind: 'note', text: t('You cancelled this call.') }], buttons: [] };
  if (end?.kind === 'error') {
    const buttons: PageButton[] = [{ action: 'showLog', label: t('Show Server Log') }];
    if (subject.server?.state.kind === 'needsAuth') buttons.unshift({ action: 'signIn', label: t('Sign In') });
    return { ...about, blocks: [{ kind: 'note', text: errorText(end.error, 1_000) }], buttons };
  }
  const text = t('This result was large and is no longer kept. Run it again.');
  return { ...about, blocks: [{ kind: 'note', text }], buttons: [] };
}

function kindOf(end: RunEnd | undefined): PageRun['kind'] {
  if (!end) return 'running';
  if (end.kind === 'error') return (end.error as Partial<HostError>).code === 'CANCELLED' ? 'cancelled' : 'failed';
  if (end.kind === 'forgotten') return end.isError ? 'failed' : 'ok';
  return isFailed(end.result) ? 'failed' : end.problem ? 'odd' : 'ok';
}

function outcome(kind: PageRun['kind']): string {
  const words = {
    running: t('Running'),
    ok: '✔ OK',
    odd: '⚠ OK',
    failed: `✘ ${t('ERROR')}`,
    cancelled: t('cancelled'),
  };
  return words[kind];
}

export function pageTexts(): Record<string, string> {
  return {
    arguments: t('Arguments'),
    asJson: t('As JSON'),
    optional: t('optional'),
    required: t('required'),
    leaveOut: t('(not sent)'),
    kindOfValue: t('Kind of value'),
    rowName: t('Name'),
    rowValue: t('Value'),
    addRow: t('Add'),
    removeRow: t('Remove'),
    moreFields: t('Optional arguments'),
    run: t('Run'),
    runKey: t('Run (Ctrl+Enter)'),
    sendAnyway: t('Send Anyway'),
    cancel: t('Cancel'),
    result: t('Result'),
    noResult: t('Not run yet.'),
    runs: t('Earlier runs'),
    show: t('Show'),
    again: t('Run Again'),
    use: t('Use These Arguments'),
    openDocument: t('Open as Document'),
    openResource: t('Open'),
    openWebsite: t('Open Website…'),
    uri: t('Resulting URI'),
    suggestions: t('Suggestions'),
    forSuggestions: t('Suggestions appear as you type, or with ↓.'),
    moreLines: t('Show all lines'),
    more: t('Show more'),
    asTable: t('Table'),
    asTree: t('Tree'),
    badPicture: t('This picture cannot be shown. Open the document of the result instead.'),
  };
}
