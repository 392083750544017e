import vscode = require('vscode');

import { DisposableStore } from '../../base/events';
import { type PlainText, plain, type RowText, rowText, visible } from '../../base/text';
import { localized } from '../../editor/errorText';
import { joined, type PlainInputBox, type PlainQuickPick, type PlainRow, t, window } from '../../editor/window';
import { coerce, countProblem, expectation, textFor } from './core/fieldChecks';
import type { FormStep, Option } from './core/schemaForm';

/** How a person answered a step. `run`: take this value, and skip the remaining optional ones. */
export type StepAnswer =
  | { readonly kind: 'value' | 'run'; readonly value: unknown }
  | { readonly kind: 'json'; readonly value?: unknown }
  | { readonly kind: 'back' | 'cancel' | 'decline' };

interface FieldQuestion {
  title: string;
  step: FormStep;
  /** The present value, or the default. */
  current: unknown;
  /** From 1. */
  number: number;
  total: number;
  /** Whether no required value comes after this one. */
  canRun: boolean;
  /** A message from the server; shown with every question. */
  note?: RowText;
  /** Buttons that replace those of a tool's form. */
  buttons?: readonly FieldButton[];
  /** Hides what is typed. */
  isSecret?: boolean;
  /** Withdraws the question. */
  signal?: AbortSignal;
}

/** A button of a question. `press` ends the question with its result, unless that is undefined. */
export interface FieldButton {
  button: vscode.QuickInputButton;
  press(): StepAnswer | undefined;
}

interface Row extends PlainRow {
  value?: unknown;
}

/** Asks for one value with a suitable input. `edit`: the value can only be expressed in JSON. */
export function askField(question: FieldQuestion): Promise<StepAnswer | 'edit'> {
  const { step } = question;
  switch (step.kind) {
    case 'boolean':
      return pickOne(question, [
        { label: 'true', value: true },
        { label: 'false', value: false },
      ]);
    case 'choice':
      return pickOne(question, step.options);
    case 'json':
      return askJson(question);
    case 'list':
      return step.items.kind === 'choice' ? pickMany(question, step.items.options) : type(question);
    default:
      return type(question);
  }
}

/** Asks for text, numbers or lists, checking them while they are typed. */
function type(question: FieldQuestion): Promise<StepAnswer> {
  const { step, current } = question;
  const input = window.createInputBox();
  input.value = textFor(step, current);
  input.password = question.isSecret ?? false;
  const hints = [
    question.note,
    describe(step),
    visible(localized(expectation(step)), 300),
    step.required ? '' : t('optional'),
  ];
  input.prompt = plain(hints.filter(Boolean).join(' · '));
  input.placeholder = step.required ? '' : t('Leave it empty to send no value');
  const read = () => coerce(step, input.value);
  return ask(question, input, answer => {
    const settle = (kind: 'value' | 'run') => {
      const read_ = read();
      if ('problem' in read_) input.validationMessage = plain(visible(localized(read_.problem), 300));
      else answer({ kind, value: read_.value });
    };
    input.onDidChangeValue(() => {
      const now = read();
      // An empty value is not an error yet, because the person is about to type.
      const problem = 'problem' in now && input.value !== '' ? now.problem : undefined;
      input.validationMessage = problem && plain(visible(localized(problem), 300));
    });
    input.onDidAccept(() => settle('value'));
    return {
      run: () => settle('run'),
      json: () => {
        const now = read();
        answer({ kind: 'json', ...('value' in now && { value: now.value }) });
      },
    };
  });
}

function pickOne(question: FieldQuestion, options: readonly Option[]): Promise<StepAnswer> {
  const { step, current } = question;
  const input = window.createQuickPick<Row>();
  const rows = options.map(option => rowOf(option, step));
  const leaveOut: Row = { label: t('$(circle-slash) Leave empty') };
  input.items = [...noteRows(question), ...rows, ...(step.required ? [] : [leaveOut])];
  const active = rows.find(row => isSame(row.value, current)) ?? (step.required ? rows[0] : leaveOut);
  if (active) input.activeItems = [active];
  input.placeholder = joined([plain(describe(step)), step.required ? '' : t('optional')], ' · ');
  return ask(question, input, answer => {
    const chosen = () => input.activeItems[0];
    const settle = (kind: 'value' | 'run') => {
      const row = chosen();
      if (row) answer({ kind, value: row.value });
    };
    input.onDidAccept(() => settle('value'));
    return { run: () => settle('run'), json: () => answer({ kind: 'json', value: chosen()?.value }) };
  });
}

/** Asks for a list whose values are all among given choices. */
function pickMany(question: FieldQuestion, options: readonly Option[]): Promise<StepAnswer> {
  const { step, current } = question;
  const input = window.createQuickPick<Row>();
  const rows = options.map(option => rowOf(option, step));
  input.canSelectMany = true;
  input.items = [...noteRows(question), ...rows];
  const chosen = Array.isArray(current) ? current : [];
  input.selectedItems = rows.filter(({ value }) => chosen.some(one => isSame(one, value)));
  const hint = plain(describe(step)) || t('Select any number of values');
  input.placeholder = joined([hint, step.required ? '' : t('optional')], ' · ');
  const title = input.title;
  return ask(question, input, answer => {
    const values = () => input.selectedItems.map(({ value }) => value);
    const settle = (kind: 'value' | 'run') => {
      const given = values();
      const isLeftOut = given.length === 0 && !step.required;
      const problem = isLeftOut || step.kind !== 'list' ? undefined : countProblem(step, given.length);
      if (problem) input.title = plain(`${title ?? titleOf(question)} — ${localized(problem)}`);
      else answer({ kind, value: isLeftOut ? undefined : given });
    };
    input.onDidAccept(() => settle('value'));
    return { run: () => settle('run'), json: () => answer({ kind: 'json', value: values() }) };
  });
}

async function askJson(question: FieldQuestion): Promise<StepAnswer | 'edit'> {
  const { step, current } = question;
  const input = window.createQuickPick<Row>();
  const edit: Row = { label: t('$(json) Edit as JSON…'), description: step.required ? '' : t('optional') };
  const keep: Row = { label: t('$(check) Keep'), description: rowText(JSON.stringify(current), 100), value: current };
  const leaveOut: Row = { label: t('$(circle-slash) Leave empty') };
  input.items = [...(current === undefined ? [] : [keep]), edit, ...(step.required ? [] : [leaveOut])];
  input.placeholder = plain(describe(step)) || t('This value is entered as JSON');
  let wantsEdit = false;
  const answer = await ask(question, input, settle => {
    const choose = (kind: 'value' | 'run') => {
      const [row] = input.activeItems;
      wantsEdit = row === edit;
      settle({ kind, value: row?.value });
    };
    input.onDidAccept(() => choose('value'));
    return { run: () => choose('run'), json: () => settle({ kind: 'json', value: current }) };
  });
  return wantsEdit ? 'edit' : answer;
}

interface Actions {
  run: () => void;
  json: () => void;
}

/** Shows an input with the title, step number and buttons that all of them have. */
async function ask(
  question: FieldQuestion,
  input: PlainInputBox | PlainQuickPick<Row>,
  listen: (answer: (answer: StepAnswer) => void) => Actions,
): Promise<StepAnswer> {
  const disposables = new DisposableStore();
  disposables.add(input);
  const json = { iconPath: new vscode.ThemeIcon('json'), tooltip: t('Edit All as JSON') };
  const run = { iconPath: new vscode.ThemeIcon('run-all'), tooltip: t('Skip the Rest and Run') };
  const { buttons, signal } = question;
  input.title = titleOf(question);
  input.step = question.number;
  input.totalSteps = question.total;
  input.ignoreFocusOut = true;
  input.buttons = [
    ...(question.number > 1 ? [vscode.QuickInputButtons.Back] : []),
    ...(buttons?.map(({ button }) => button) ?? [...(question.canRun ? [run] : []), json]),
  ];
  try {
    return await new Promise<StepAnswer>(resolve => {
      const actions = listen(resolve);
      disposables.add(input.onDidHide(() => resolve({ kind: 'cancel' })));
      const cancel = () => resolve({ kind: 'cancel' });
      if (signal?.aborted) cancel();
      signal?.addEventListener('abort', cancel);
      disposables.add({ dispose: () => signal?.removeEventListener('abort', cancel) });
      const onButton = (button: vscode.QuickInputButton) => {
        const own = buttons?.find(one => one.button === button);
        const answer = own?.press();
        if (answer) resolve(answer);
        else if (own) return;
        else if (button === vscode.QuickInputButtons.Back) resolve({ kind: 'back' });
        else if (button === json) actions.json();
        else actions.run();
      };
      disposables.add(input.onDidTriggerButton(onButton));
      input.show();
    });
  } finally {
    disposables.dispose();
  }
}

function noteRows({ note }: FieldQuestion): Row[] {
  return note ? [{ label: note, kind: vscode.QuickPickItemKind.Separator }] : [];
}

function titleOf({ title, step }: FieldQuestion): PlainText {
  return plain(`${title} · ${visible(step.path.join('.'), 80)}`);
}

function describe({ title, description }: FormStep): string {
  return [title, description]
    .filter(text => text !== undefined)
    .map(text => visible(text, 300))
    .join(': ');
}

function rowOf({ label, value }: Option, step: FormStep): Row {
  const written = typeof value === 'string' ? value : JSON.stringify(value);
  const notes = [label !== written && rowText(written, 100), isSame(value, step.default) && t('default')];
  return { label: rowText(label), description: joined<RowText>(notes, ' · '), value };
}

function isSame(a: unknown, b: unknown): boolean {
  return a === b || (typeof a === 'object' && a !== null && JSON.stringify(a) === JSON.stringify(b));
}
