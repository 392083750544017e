import { button, el } from '../../../editor/webview/page';
import { browserInput, isPicker, type Picker, pickedText, pickerValue } from '../core/formats';
import type { FieldValue, PageField } from '../core/itemPageMessages';
import { chosenIn, kindIn, type RowEntry, rowsIn, textOfChosen, textOfKind, textOfRows } from '../core/nestedTexts';

/** The control of a field, without its label. */
export interface FieldInput {
  readonly element: HTMLElement;
  /** The element that gets the focus, and is marked when something is wrong. */
  readonly target: HTMLElement;
  show(value: Pick<FieldValue, 'text' | 'chosen'>): void;
}

/** Where the person's input goes. */
export interface InputSink {
  typed(text: string): void;
  chose(chosen: readonly number[]): void;
}

export interface InputPlace {
  /** Begins the ids of its elements. */
  readonly id: string;
  /** Its name for screen readers, where no label of its own stands beside it. */
  readonly label?: string;
  readonly texts: (name: string) => string;
}

/** Kinds with several controls, which a legend names instead of a label. */
export const isGroup = ({ kind }: PageField) => ['several', 'either', 'union', 'record'].includes(kind);

export function fieldInput(field: PageField, sink: InputSink, place: InputPlace): FieldInput {
  const input = inputOf(field, sink, place);
  const { target } = input;
  if (place.label !== undefined && !isGroup(field)) target.setAttribute('aria-label', place.label);
  if (field.pattern) target.title = field.pattern;
  return input;
}

function inputOf(field: PageField, sink: InputSink, place: InputPlace): FieldInput {
  switch (field.kind) {
    case 'one':
      return select(field, sink, place);
    case 'several':
    case 'either':
      return boxes(field, sink, place);
    case 'lines':
    case 'json':
      return lines(field, sink, place);
    case 'union':
      return unionInput(field, sink, place);
    case 'record':
      return recordInput(field, sink, place);
    case 'null': {
      const element = el('span');
      return { element, target: element, show: () => {} };
    }
    default:
      return isPicker(field.kind) ? moment(field.kind, sink, place) : line(field, sink, place);
  }
}

function line({ kind }: PageField, sink: InputSink, { id }: InputPlace): FieldInput {
  const target = el('input', { id });
  target.type = kind === 'secret' ? 'password' : 'text';
  target.autocomplete = 'off';
  target.spellcheck = false;
  target.addEventListener('input', () => sink.typed(target.value));
  return { element: target, target, show: ({ text }) => setValue(target, text) };
}

/** A picker of the browser, or a line of text for a value that it can't show. */
function moment(picker: Picker, sink: InputSink, { id }: InputPlace): FieldInput {
  const target = el('input', { id });
  const type = browserInput(picker);
  target.type = type;
  const isPicked = () => target.type === type;
  target.addEventListener('input', () => sink.typed(isPicked() ? pickedText(picker, target.value) : target.value));
  const show = ({ text }: Pick<FieldValue, 'text'>) => {
    const value = pickerValue(picker, text);
    // A line that somebody types in stays one.
    if (value === undefined) target.type = 'text';
    else if (document.activeElement !== target) target.type = type;
    setValue(target, isPicked() ? value! : text);
  };
  return { element: target, target, show };
}

function lines({ kind }: PageField, sink: InputSink, { id }: InputPlace): FieldInput {
  const target = el('textarea', { id, class: kind === 'json' ? 'json' : '' });
  target.spellcheck = false;
  const grow = () => {
    target.rows = Math.min(12, Math.max(kind === 'json' ? 3 : 1, target.value.split('\n').length));
  };
  target.addEventListener('input', () => {
    grow();
    sink.typed(target.value);
  });
  const show = ({ text }: Pick<FieldValue, 'text'>) => {
    setValue(target, text);
    grow();
  };
  return { element: target, target, show };
}

function select(field: PageField, sink: InputSink, { id, texts }: InputPlace): FieldInput {
  const target = el('select', { id });
  const option = (label: string, value: string) => el('option', { value }, label);
  target.append(
    option(field.required ? '' : texts('leaveOut'), ''),
    ...field.options.map((label, at) => option(label, String(at))),
  );
  target.addEventListener('change', () => sink.chose(target.value === '' ? [] : [Number(target.value)]));
  const show = ({ chosen }: Pick<FieldValue, 'chosen'>) => {
    target.value = chosen[0] === undefined ? '' : String(chosen[0]);
  };
  return { element: target, target, show };
}

/** Check boxes for several options, or radio buttons for one, with a button for "(not sent)". */
function boxes(field: PageField, sink: InputSink, { id, texts }: InputPlace): FieldInput {
  const isEither = field.kind === 'either';
  const labels = isEither && !field.required ? [...field.options, texts('leaveOut')] : field.options;
  const made = labels.map((label, at) => {
    const box = el('input', { id: `${id}-${at}` });
    box.type = isEither ? 'radio' : 'checkbox';
    box.name = id;
    box.addEventListener('change', () => {
      const chosen = made.flatMap(({ box: one }, position) => (one.checked ? [position] : []));
      sink.chose(chosen.filter(position => position < field.options.length));
    });
    return { box, row: el('div', 'box', box, el('label', { for: box.id }, label)) };
  });
  const element = el('div', '', ...made.map(({ row }) => row));
  const show = ({ chosen }: Pick<FieldValue, 'chosen'>) => {
    const isNone = (at: number) => at === field.options.length && chosen.length === 0;
    for (const [at, { box }] of made.entries()) box.checked = chosen.includes(at) || isNone(at);
  };
  return { element, target: made[0]?.box ?? element, show };
}

/** A part of another field: all that is entered in it is one text. */
function part(field: PageField, typed: (text: string) => void, place: InputPlace) {
  const { element, target, show } = fieldInput(field, { typed, chose: chosen => typed(textOfChosen(chosen)) }, place);
  return { element, target, show: (text: string) => show({ text, chosen: chosenIn(text) }) };
}

/** A box for the value, and one for its kind. What was entered as one kind comes back with it. */
function unionInput(field: PageField, sink: InputSink, { id, texts, label }: InputPlace): FieldInput {
  const name = label ?? (field.title || field.name);
  const entered = field.parts.map(() => '');
  let kind = 0;
  const send = () => sink.typed(textOfKind({ kind, text: entered[kind] ?? '' }));
  const parts = field.parts.map((one, at) => {
    const typed = (text: string) => {
      entered[at] = text;
      send();
    };
    const { element, target, show } = part(one, typed, { id: `${id}-${at}`, label: name, texts });
    const isTold = one.hint === '' || one.hint.toLowerCase() === field.options[at]?.toLowerCase();
    return { target, show, row: el('div', 'grow', element, !isTold && el('p', 'dim about', one.hint)) };
  });
  const kinds = el('select', 'kind', ...field.options.map((one, at) => el('option', { value: at }, one)));
  kinds.setAttribute('aria-label', `${name}: ${texts('kindOfValue')}`);
  const showKind = () => {
    kinds.value = String(kind);
    for (const [at, { row }] of parts.entries()) row.hidden = at !== kind || field.parts[at]?.kind === 'null';
  };
  kinds.addEventListener('change', () => {
    kind = Number(kinds.value);
    showKind();
    send();
  });
  showKind();
  return {
    element: el('div', 'together', ...parts.map(({ row }) => row), kinds),
    get target() {
      return field.parts[kind]?.kind === 'null' ? kinds : (parts[kind]?.target ?? kinds);
    },
    show({ text }) {
      const now = kindIn(text);
      kind = parts[now.kind] ? now.kind : 0;
      entered[kind] = now.text;
      parts[kind]?.show(now.text);
      showKind();
    },
  };
}

/** Rows of a name and a value, each with a button that removes it. */
function recordInput({ parts: [value] }: PageField, sink: InputSink, place: InputPlace): FieldInput {
  const { texts, id } = place;
  const list = el('div', 'rows');
  let rows: RowEntry[] = [];
  const send = () => sink.typed(textOfRows(rows));
  const set = (at: number, row: RowEntry) => {
    rows[at] = row;
    send();
  };
  const nameBox = (at: number) => list.children[at]?.querySelector('input');
  const rowOf = ([name, text]: RowEntry, at: number): HTMLElement => {
    const number = at + 1;
    const nameInput = el('input', {
      type: 'text',
      autocomplete: 'off',
      spellcheck: 'false',
      placeholder: texts('rowName'),
    });
    nameInput.setAttribute('aria-label', `${texts('rowName')} ${number}`);
    nameInput.value = name;
    nameInput.addEventListener('input', () => set(at, [nameInput.value, rows[at]?.[1] ?? '']));
    const label = `${texts('rowValue')} ${number}`;
    const input = part(value!, typed => set(at, [nameInput.value, typed]), { id: `${id}-${at}`, label, texts });
    input.show(text);
    const remove = button(texts('removeRow'), () => {
      rows.splice(at, 1);
      draw();
      send();
      (nameBox(Math.min(at, rows.length - 1)) ?? add).focus();
    });
    remove.setAttribute('aria-label', `${texts('removeRow')} ${number}`);
    return el('div', 'together', nameInput, el('div', 'grow', input.element), remove);
  };
  const draw = () => list.replaceChildren(...rows.map(rowOf));
  const add = button(texts('addRow'), () => {
    rows.push(['', '']);
    draw();
    send();
    nameBox(rows.length - 1)?.focus();
  });
  return {
    element: el('div', '', list, add),
    get target() {
      return nameBox(0) ?? add;
    },
    show({ text }) {
      if (text === textOfRows(rows)) return;
      rows = rowsIn(text);
      draw();
    },
  };
}

/** Setting the same value again would move the cursor. */
function setValue(target: HTMLInputElement | HTMLTextAreaElement, text: string): void {
  if (target.value !== text) target.value = text;
}
