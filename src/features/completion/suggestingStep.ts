import vscode = require('vscode');

import { rowText, visible } from '../../base/text';
import { errorText } from '../../editor/errorText';
import { type PlainQuickPick, type PlainRow, t, verbatim, window } from '../../editor/window';
import { type StepRow, stepRows } from './core/stepRows';
import { endOf, explanation, missingText, prepareStep, type StepContext, type StepResult } from './step';

interface Item extends PlainRow {
  readonly row: StepRow;
  /** The text that the row was made for. */
  readonly typed: string;
}

const edit: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('edit'), tooltip: t('Edit Before Use') };
const MULTI_LINE = /[\r\n]/;
/**
 * For this long after a key, the list may still be the previous one, and events that name rows by index may mean another
 * row.
 */
const SETTLE_MS = 60;

/** Asks for one argument with a list: what was typed, ready choices, and what the server suggests. */
export function suggestingStep(context: StepContext, typed: string, late?: vscode.Event<string>): Promise<StepResult> {
  const { feed, question } = context;
  const picker = window.createQuickPick<Item>();
  prepareStep(picker, context);
  picker.placeholder = explanation(context);
  picker.value = typed;
  if (context.step > 1) picker.buttons = [vscode.QuickInputButtons.Back];
  let edited = typed !== '';
  let lastTyped = Number.NEGATIVE_INFINITY;
  const settled = () => performance.now() - lastTyped > SETTLE_MS;
  /** The row that the person has moved to. */
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
export function needsList({ choices, current }: Pick<StepContext, 'choices' | 'current'>): boolean {
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

function itemOf(row: StepRow, typed: string, { preview, feed }: StepContext): Item {
  const base = { row, typed, alwaysShow: true };
  if (row.kind === 'note')
    return { ...base, ...noteText(row, feed?.state.error), iconPath: new vscode.ThemeIcon('info') };
  if (row.kind === 'choice') {
    const { label, description } = row.choice;
    return { ...base, label: rowText(label), ...(description && { description: rowText(description, 100) }) };
  }
  const detail =
    (row.kind !== 'suggestion' || row.value === typed) && preview ? { detail: rowText(preview(row.value), 500) } : {};
  if (row.kind === 'empty') return { ...base, ...detail, label: t('Leave empty') };
  const label = rowText(row.value) || rowText(JSON.stringify(row.value));
  if (row.kind === 'typed') return { ...base, ...detail, label: rowText(verbatim('Use "{0}"', visible(row.value))) };
  return {
    ...base,
    ...detail,
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
