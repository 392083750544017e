import { type PlainText, plain, rowText, visible } from '../../base/text';
import { errorText } from '../../editor/errorText';
import { type PlainInputBox, type PlainQuickPick, type PlainRow, say, t, verbatim, window } from '../../editor/window';
import { type ReadyChoice, type StepRow, type Suggest, SuggestionFeed, stepRows } from './core/suggestions';

import vscode = require('vscode');

interface AskOptions {
  /** The owner of the arguments. */
  title: string;
  questions: readonly ArgumentQuestion[];
  /** Not asked; sent along as context. */
  given?: Readonly<Record<string, string>> | undefined;
  suggest?: Suggest | undefined;
  choices?: (() => readonly ReadyChoice[]) | undefined;
  token?: vscode.CancellationToken | undefined;
}

/** Asks a step for each missing argument. Optional ones left empty are left out. Undefined: given up, or cancelled. */
export async function askArguments(options: AskOptions): Promise<Record<string, string> | undefined> {
  const { given = {}, token } = options;
  const questions = options.questions.filter(({ name }) => !Object.hasOwn(given, name));
  const choices = questions.length > 0 ? (options.choices?.() ?? []) : [];
  const answers = new Map<ArgumentQuestion, string>();
  /** The values before a step: later answers may be left over from before the person went back. */
  const before = (index: number): Record<string, string> => {
    const values = questions.slice(0, index).map(question => [question.name, answers.get(question) ?? '']);
    return { ...given, ...Object.fromEntries(values.filter(([, value]) => value !== '')) };
  };
  // Each replaces the one before. All are disposed at the end, because keys may still be on their way from an earlier one.
  const shown: vscode.QuickInput[] = [];
  const show = (input: vscode.QuickInput) => {
    shown.push(input);
    input.show();
  };
  try {
    for (let index = 0; index < questions.length; ) {
      const question = questions[index]!;
      const earlier = before(index);
      const result = await askOne(options, question, earlier, {
        step: index + 1,
        totalSteps: questions.length,
        choices,
        current: answers.get(question),
        show,
      });
      if (result.kind === 'cancel' || token?.isCancellationRequested) return undefined;
      if (result.kind === 'value') answers.set(question, result.value);
      index += result.kind === 'back' ? -1 : 1;
    }
    return before(questions.length);
  } finally {
    for (const input of shown) input.dispose();
  }
}

type Place = Pick<StepContext, 'choices' | 'current' | 'show' | 'step' | 'totalSteps'>;

/** Asks one step, in the kind of input that suits it, which may change while the person answers. */
async function askOne(
  { title, suggest, token }: AskOptions,
  question: ArgumentQuestion,
  earlier: Record<string, string>,
  place: Place,
): Promise<StepResult> {
  let listener: () => void = () => {};
  const feed =
    suggest &&
    new SuggestionFeed(
      {
        fetch: (value, signal) => suggest(question.name, value, earlier, signal),
        cached: value => suggest.cached?.(question.name, value, earlier),
      },
      () => listener(),
    );
  const context = {
    ...place,
    title,
    question,
    feed,
    token,
    listen: (next: () => void) => {
      listener = next;
    },
  };
  try {
    let result: StepResult = await (feed || needsList(place) ? suggestingStep(context, '') : plainStep(context));
    while (result.kind === 'plain' || result.kind === 'suggesting') {
      const { late } = result;
      result = await (result.kind === 'plain' ? plainStep(context, late) : suggestingStep(context, result.typed, late));
    }
    return result;
  } finally {
    feed?.dispose();
  }
}

export interface ArgumentQuestion {
  /** Its name in the protocol. */
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  required: boolean;
}

/**
 * How a step ended. `plain` and `suggesting` continue with the same question in the other kind of input; `late` fires with
 * what is still typed into this one until the other is shown.
 */
type StepResult =
  | { readonly kind: 'value'; readonly value: string }
  | { readonly kind: 'back' }
  | { readonly kind: 'cancel' }
  | { readonly kind: 'plain'; readonly late: vscode.Event<string> }
  | { readonly kind: 'suggesting'; readonly typed: string; readonly late: vscode.Event<string> };

interface StepContext {
  readonly title: string;
  readonly question: ArgumentQuestion;
  readonly step: number;
  readonly totalSteps: number;
  readonly current: string | undefined;
  readonly choices: readonly ReadyChoice[];
  readonly feed: SuggestionFeed | undefined;
  /** Receives the feed's suggestions while this step is shown. */
  readonly listen: (listener: () => void) => void;
  /** Replaces the previous input by this one, without a gap in which keys would go to the editor. */
  readonly show: (input: vscode.QuickInput) => void;
  readonly token: vscode.CancellationToken | undefined;
}

/** Sets up title ("Title: argument"), step number and Back; keeps the input open when the window loses focus. */
function prepareStep(
  input: PlainInputBox | PlainQuickPick<PlainRow>,
  { title, question, step, totalSteps }: StepContext,
): void {
  input.title = plain(`${visible(title)}: ${argumentName(question)}`);
  input.ignoreFocusOut = true;
  if (totalSteps < 2) return;
  input.step = step;
  input.totalSteps = totalSteps;
}

/** The prompt: what is asked for, and whether it is required. */
function explanation({ question }: StepContext): PlainText {
  const need = question.required ? t('required') : t('optional');
  return say`${question.description ? visible(question.description, 500) : argumentName(question)} (${need})`;
}

const missingText = ({ question }: StepContext): PlainText => t('"{0}" is required.', argumentName(question));

const argumentName = ({ name, title }: ArgumentQuestion): string => visible(title || name, 60);

/** Resolves with the end of a step, whichever comes first. */
function endOf(
  input: vscode.QuickInput,
  token: vscode.CancellationToken | undefined,
  listen: (end: (result: StepResult) => void) => vscode.Disposable[],
): Promise<StepResult> {
  return new Promise(resolve => {
    const listeners: vscode.Disposable[] = [];
    const end = (result: StepResult) => {
      vscode.Disposable.from(...listeners).dispose();
      resolve(result);
    };
    listeners.push(
      input.onDidHide(() => end({ kind: 'cancel' })),
      ...listen(end),
    );
    const cancelled = token?.onCancellationRequested(() => end({ kind: 'cancel' }));
    if (cancelled) listeners.push(cancelled);
    if (token?.isCancellationRequested) end({ kind: 'cancel' });
  });
}

interface Item extends PlainRow {
  readonly row: StepRow;
  /** The text that the row was made for. */
  readonly typed: string;
}

const edit: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('edit'), tooltip: t('Edit Before Use') };
const MULTI_LINE = /[\r\n]/;
/** For this long after a key, events that name rows by index may mean rows of the previous list. */
const SETTLE_MS = 60;

/** Asks for one argument with a list: what was typed, ready choices, and what the server suggests. */
function suggestingStep(context: StepContext, typed: string, late?: vscode.Event<string>): Promise<StepResult> {
  const { feed, question } = context;
  const picker = window.createQuickPick<Item>();
  prepareStep(picker, context);
  picker.placeholder = explanation(context);
  picker.value = typed;
  if (context.step > 1) picker.buttons = [vscode.QuickInputButtons.Back];
  let edited = typed !== '';
  let lastTyped = Number.NEGATIVE_INFINITY;
  const settled = () => performance.now() - lastTyped > SETTLE_MS;
  let moved: StepRow | undefined;
  const draw = () => {
    const state = feed?.state ?? { typed: picker.value, busy: false };
    picker.busy = state.busy;
    setRows(picker, stepRows({ ...context, state, required: question.required }), context, moved);
  };
  const ended = endOf(picker, context.token, end => {
    const change = (value: string) => {
      edited = true;
      lastTyped = performance.now();
      moved = undefined;
      picker.placeholder = explanation(context);
      if (feed) feed.type(value);
      else draw();
    };
    const finish = (value: string) => {
      if (value || !question.required) end({ kind: 'value', value });
      else picker.placeholder = missingText(context);
    };
    context.listen(() => {
      const { busy, completion, error } = feed!.state;
      const nothing = !busy && error === undefined && !completion?.values.length && !completion?.hasMore;
      if (nothing && !edited && !needsList(context)) end({ kind: 'plain', late: picker.onDidChangeValue });
      else draw();
    });
    const typedBefore = late?.(value => {
      picker.value = value;
      change(value);
    });
    return [
      ...(typedBefore ? [typedBefore] : []),
      picker.onDidTriggerButton(() => end({ kind: 'back' })),
      picker.onDidChangeValue(change),
      picker.onDidChangeActive(([item]) => {
        if (settled()) moved = item && item !== picker.items[0] ? item.row : undefined;
      }),
      picker.onDidTriggerItemButton(({ item: { row } }) => {
        if (row.kind === 'note') return;
        picker.value = row.value;
        change(row.value);
      }),
      picker.onDidAccept(() => {
        const item = picker.selectedItems[0] ?? picker.activeItems[0];
        // The row belongs to an earlier text and had not gone yet: use what was typed instead.
        if (!item || item.typed !== picker.value) finish(picker.value);
        else if (item.row.kind !== 'note') finish(item.row.value);
        else if (!picker.value) finish('');
      }),
    ];
  });
  context.show(picker);
  if (feed) feed.type(typed);
  draw();
  return ended;
}

/** An input box has one line and no rows. */
function needsList({ choices, current }: Pick<StepContext, 'choices' | 'current'>): boolean {
  return choices.length > 0 || MULTI_LINE.test(current ?? '');
}

/** Shows the rows. The row that the person has moved to stays active while it exists. */
function setRows(picker: PlainQuickPick<Item>, rows: StepRow[], context: StepContext, moved?: StepRow): void {
  const items = rows.map(row => itemOf(row, picker.value, context));
  picker.items = items;
  const again = moved && moved.kind !== 'note' && items.find(({ row }) => isSame(row, moved));
  if (again) picker.activeItems = [again];
}

const isSame = (a: StepRow, b: StepRow) =>
  a.kind === b.kind && a.kind !== 'note' && b.kind !== 'note' && a.value === b.value;

function itemOf(row: StepRow, typed: string, { feed }: StepContext): Item {
  const base = { row, typed, alwaysShow: true };
  if (row.kind === 'note')
    return { ...base, ...noteText(row, feed?.state.error), iconPath: new vscode.ThemeIcon('info') };
  if (row.kind === 'choice') {
    const { label, description } = row.choice;
    return { ...base, label: rowText(label), ...(description && { description: rowText(description, 100) }) };
  }
  if (row.kind === 'empty') return { ...base, label: t('Leave empty') };
  const label = rowText(row.value) || rowText(JSON.stringify(row.value));
  if (row.kind === 'typed') return { ...base, label: rowText(verbatim('Use "{0}"', visible(row.value))) };
  return {
    ...base,
    label,
    ...(row.kind === 'current' && { description: t('Current value') }),
    ...(!MULTI_LINE.test(row.value) && { buttons: [edit] }),
  };
}

function noteText(row: StepRow & { kind: 'note' }, error: unknown): Pick<PlainRow, 'description' | 'label'> {
  if (row.note === 'failed') return { label: t('No suggestions'), description: rowText(errorText(error)) };
  if (row.note === 'none') return { label: t('No suggestions: type a value') };
  if (row.total !== undefined) return { label: t('{0} of {1} shown. Type to narrow the list', row.shown, row.total) };
  return { label: t('First {0} shown. Type to narrow the list', row.shown) };
}

/** Asks for one argument in an input box. If the server suggests something for what is typed, a list takes over. */
function plainStep(context: StepContext, late?: vscode.Event<string>): Promise<StepResult> {
  const { feed, question, current = '' } = context;
  const input = window.createInputBox();
  prepareStep(input, context);
  input.value = current;
  input.placeholder = question.required ? '' : t('Press Enter to leave it empty');
  if (context.step > 1) input.buttons = [vscode.QuickInputButtons.Back];
  input.prompt = explanation(context);
  const ended = endOf(input, context.token, end => {
    context.listen(() => {
      const { busy, completion } = feed!.state;
      input.busy = busy;
      if (!busy && completion?.values.length)
        end({ kind: 'suggesting', typed: input.value, late: input.onDidChangeValue });
    });
    const change = (value: string) => {
      input.validationMessage = undefined;
      feed?.type(value);
    };
    const typedBefore = late?.(value => {
      input.value = input.value === current ? value : value + input.value;
      change(input.value);
    });
    return [
      ...(typedBefore ? [typedBefore] : []),
      input.onDidTriggerButton(() => end({ kind: 'back' })),
      input.onDidChangeValue(change),
      input.onDidAccept(() => {
        if (input.value || !question.required) end({ kind: 'value', value: input.value });
        else input.validationMessage = plain(missingText(context));
      }),
    ];
  });
  context.show(input);
  return ended;
}
