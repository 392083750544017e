import { el, replaceText, showText } from '../../../editor/webview/page';
import { inputOf, isPicker, type Picker, pickedText, pickerValue } from '../core/formats';
import type { FieldValue, FromItemPage, PageArguments, PageField, ToItemPage } from '../core/itemPageMessages';
import { SuggestionList } from './suggestionList';

/** More fields than this, and the optional ones are folded away until they are wanted. */
const UNFOLDED = 12;

interface Control {
  readonly element: HTMLElement;
  /** The element that gets the focus. */
  readonly target: HTMLElement;
  show(value: FieldValue): void;
  problem: HTMLElement;
}

/** The arguments: a form, and beside it the same as JSON, or the URI that they make. What is typed goes to the extension, which says what it means. */
export class ArgumentFields {
  readonly element = el('div', 'arguments');
  readonly #form = el('form', 'fields');
  readonly #note = el('p', 'dim');
  readonly #beside = el('div', 'beside');
  readonly #json = el('textarea', 'json');
  readonly #jsonProblem = el('p', 'field-problem');
  readonly #uri = el('output', 'uri');
  readonly #whole = el('p', 'field-problem');
  #controls: Control[] = [];
  readonly #lists = new Map<number, SuggestionList>();
  #edit = 0;
  /** The person wanted to run it, so what is missing is a fault from then on. */
  #isAsked = false;

  constructor(
    private readonly post: (message: FromItemPage) => void,
    private readonly texts: (name: string) => string,
    onRun: () => void,
    private readonly folds: boolean,
  ) {
    this.#json.id = 'json';
    this.#uri.id = 'uri';
    this.#json.spellcheck = false;
    this.#json.rows = 6;
    this.#jsonProblem.id = 'json-problem';
    this.#json.setAttribute('aria-describedby', this.#jsonProblem.id);
    this.#json.addEventListener('input', () => post({ type: 'json', edit: ++this.#edit, text: this.#json.value }));
    this.#whole.setAttribute('role', 'alert');
    // Enter runs the tool, Shift+Enter begins a line where there may be several. JSON has lines of its own.
    this.#form.addEventListener('submit', event => event.preventDefault());
    this.#form.addEventListener('keydown', event => {
      const target = event.target as HTMLElement;
      const isPlain =
        event.key === 'Enter' && !event.shiftKey && !event.ctrlKey && !event.metaKey && !event.isComposing;
      if (event.defaultPrevented || !isPlain || !target.matches('input, select, textarea:not(.json)')) return;
      event.preventDefault();
      onRun();
    });
    // The browser selects all at once. The editor, were it told of the key, would do so again a moment later, and what was typed
    // meanwhile would be replaced.
    this.element.addEventListener('keydown', event => {
      if (event.key.toLowerCase() === 'a' && (event.ctrlKey || event.metaKey)) event.stopPropagation();
    });
    this.element.append(el('div', 'form', this.#note, this.#form, this.#whole), this.#beside);
  }

  /** The questions: asked anew, as when the schema has changed. */
  build(fields: readonly PageField[], note: string, beside: 'json' | 'uri' | undefined): void {
    this.#beside.hidden = !beside;
    const label = el('label', 'name', this.texts(beside === 'uri' ? 'uri' : 'asJson'));
    label.htmlFor = beside === 'uri' ? this.#uri.id : this.#json.id;
    this.#beside.replaceChildren(label, ...(beside === 'uri' ? [this.#uri] : [this.#json, this.#jsonProblem]));
    this.#lists.clear();
    const hadFocus = this.#form.contains(document.activeElement);
    showText(this.#note, note);
    this.#isAsked = false;
    this.#controls = fields.map((field, index) => this.#control(field, index));
    const isFolded = (index: number) => this.folds && fields.length > UNFOLDED && !fields[index]!.required;
    const optional = this.#controls.filter((_, index) => isFolded(index)).map(({ element }) => element);
    const folded = el(
      'details',
      'more',
      el('summary', '', `${this.texts('moreFields')} (${optional.length})`),
      ...optional,
    );
    this.#form.replaceChildren(
      ...this.#controls.filter((_, index) => !isFolded(index)).map(({ element }) => element),
      ...(optional.length > 0 ? [folded] : []),
    );
    if (hadFocus) this.focus();
  }

  /** Whether there was something to focus. */
  focus(): boolean {
    const first = this.#controls[0]?.target ?? (this.#json.isConnected ? this.#json : undefined);
    first?.focus();
    // What is hidden takes no focus.
    return first !== undefined && document.activeElement === first;
  }

  /** @param edit the one that this answers; an answer to an earlier one is out of date. */
  show({ fields, json, jsonProblem, wholeProblem, uri }: PageArguments, edit: number, isAsked: boolean): void {
    if (edit !== 0 && edit !== this.#edit) return;
    this.#isAsked ||= isAsked;
    for (const [index, value] of fields.entries()) {
      const control = this.#controls[index];
      if (!control) continue;
      control.show(value);
      const problem = value.isMissing && !this.#isAsked ? '' : value.problem;
      showText(control.problem, problem);
      control.target.setAttribute('aria-invalid', String(problem !== ''));
    }
    if (this.#json.value !== json) this.#json.value = json;
    replaceText(this.#uri, uri);
    showText(this.#jsonProblem, jsonProblem);
    this.#json.setAttribute('aria-invalid', String(jsonProblem !== ''));
    showText(this.#whole, wholeProblem);
    if (isAsked) this.#toFirstProblem();
  }

  suggest({ index, text, values, note }: ToItemPage & { type: 'suggestions' }): void {
    this.#lists.get(index)?.show(text, values, note);
  }

  #toFirstProblem(): void {
    const wrong = this.#controls.find(({ target }) => target.getAttribute('aria-invalid') === 'true');
    const target = wrong?.target ?? (this.#jsonProblem.hidden ? undefined : this.#json);
    const fold = target?.closest('details');
    if (fold) fold.open = true;
    target?.focus();
  }

  #control(field: PageField, index: number): Control {
    const id = `field-${index}`;
    const problem = el('p', 'field-problem');
    problem.id = `${id}-problem`;
    const hint = field.suggests ? this.texts('forSuggestions') : field.hint;
    const separator = field.description.includes('\n') ? '\n' : ' · ';
    const about = el('p', 'dim about', [field.description, hint].filter(Boolean).join(separator));
    about.id = `${id}-about`;
    const name = [
      el('span', 'name', field.title || field.name),
      ...(field.title && field.title !== field.name ? [' ', el('code', 'dim', field.name)] : []),
      ' ',
      el('span', 'need', field.required ? this.texts('required') : this.texts('optional')),
    ];
    const describedBy = `${about.id} ${problem.id}`;
    const parts = { id, problem, about, name, describedBy };
    if (field.kind === 'several' || field.kind === 'either') return this.#boxes(field, index, parts);
    const { target, show } =
      field.kind === 'one'
        ? this.#one(field, index)
        : field.kind === 'lines' || field.kind === 'json'
          ? this.#lines(field, index)
          : isPicker(field.kind)
            ? this.#moment(field.kind, index)
            : this.#line(field, index);
    target.id = id;
    target.setAttribute('aria-describedby', describedBy);
    target.setAttribute('aria-required', String(field.required));
    const label = el('label', '', ...name);
    label.htmlFor = id;
    const element = el('div', 'field', label, target, ...this.#browse(field, index, label), problem, about);
    if (field.suggests && !(target instanceof HTMLSelectElement)) {
      const list = new SuggestionList(target, this.texts('suggestions'), () =>
        this.post({ type: 'suggest', index, text: target.value }),
      );
      this.#lists.set(index, list);
      target.after(list.element);
    }
    return { element, target, show, problem };
  }

  #browse({ browse }: PageField, index: number, label: HTMLElement): HTMLElement[] {
    if (!browse) return [];
    const button = el('button', 'browse', browse);
    button.type = 'button';
    label.id = `field-${index}-label`;
    button.id = `field-${index}-browse`;
    button.setAttribute('aria-labelledby', `${button.id} ${label.id}`);
    button.addEventListener('click', () => this.post({ type: 'browse', index }));
    return [button];
  }

  #line({ kind }: PageField, index: number) {
    const target = el('input');
    target.type = kind === 'secret' ? 'password' : 'text';
    target.autocomplete = 'off';
    target.spellcheck = false;
    target.addEventListener('input', () => this.#typed(index, target.value));
    return { target, show: ({ text }: FieldValue) => setValue(target, text) };
  }

  /** A picker of the browser, or a line of text for a value that it can't show. */
  #moment(picker: Picker, index: number) {
    const target = el('input');
    const type = inputOf(picker);
    target.type = type;
    const isPicked = () => target.type === type;
    target.addEventListener('input', () =>
      this.#typed(index, isPicked() ? pickedText(picker, target.value) : target.value),
    );
    const show = ({ text }: FieldValue) => {
      const value = pickerValue(picker, text);
      // A line that somebody types in stays one.
      if (value === undefined) target.type = 'text';
      else if (document.activeElement !== target) target.type = type;
      setValue(target, isPicked() ? value! : text);
    };
    return { target, show };
  }

  #lines({ kind }: PageField, index: number) {
    const target = el('textarea', kind === 'json' ? 'json' : '');
    target.spellcheck = false;
    const grow = () => {
      target.rows = Math.min(12, Math.max(kind === 'json' ? 3 : 1, target.value.split('\n').length));
    };
    target.addEventListener('input', () => {
      grow();
      this.#typed(index, target.value);
    });
    const show = ({ text }: FieldValue) => {
      setValue(target, text);
      grow();
    };
    return { target, show };
  }

  #one(field: PageField, index: number) {
    const target = el('select');
    const option = (label: string, value: string) => el('option', { value }, label);
    target.append(
      option(field.required ? '' : this.texts('leaveOut'), ''),
      ...field.options.map((label, at) => option(label, String(at))),
    );
    target.addEventListener('change', () => this.#chose(index, target.value === '' ? [] : [Number(target.value)]));
    const show = ({ chosen }: FieldValue) => {
      target.value = chosen[0] === undefined ? '' : String(chosen[0]);
    };
    return { target, show };
  }

  /** Check boxes for any number of options; radio buttons for one of a few, of which one is to send none. */
  #boxes(field: PageField, index: number, { id, problem, about, name, describedBy }: Parts): Control {
    const isEither = field.kind === 'either';
    const labels = isEither && !field.required ? [...field.options, this.texts('leaveOut')] : field.options;
    const boxes = labels.map((label, at) => {
      const box = el('input');
      box.type = isEither ? 'radio' : 'checkbox';
      box.name = id;
      box.id = `${id}-${at}`;
      box.addEventListener('change', () => {
        const chosen = boxes.flatMap(({ box: one }, position) => (one.checked ? [position] : []));
        this.#chose(
          index,
          chosen.filter(position => position < field.options.length),
        );
      });
      const text = el('label', '', label);
      text.htmlFor = box.id;
      return { box, row: el('div', 'box', box, text) };
    });
    const group = el('fieldset', 'field', el('legend', '', ...name), ...boxes.map(({ row }) => row), problem, about);
    if (isEither) group.setAttribute('role', 'radiogroup');
    group.setAttribute('aria-describedby', describedBy);
    const show = ({ chosen }: FieldValue) => {
      const isNone = (at: number) => at === field.options.length && chosen.length === 0;
      for (const [at, { box }] of boxes.entries()) box.checked = chosen.includes(at) || isNone(at);
    };
    return { element: group, target: boxes[0]?.box ?? group, show, problem };
  }

  #typed(index: number, text: string): void {
    this.post({ type: 'field', edit: ++this.#edit, index, text });
  }

  #chose(index: number, chosen: readonly number[]): void {
    this.post({ type: 'choice', edit: ++this.#edit, index, chosen });
  }
}

interface Parts {
  readonly id: string;
  readonly problem: HTMLElement;
  readonly about: HTMLElement;
  readonly name: readonly (Node | string)[];
  readonly describedBy: string;
}

/** Setting the same value again would move the cursor. */
function setValue(target: HTMLInputElement | HTMLTextAreaElement, text: string): void {
  if (target.value !== text) target.value = text;
}
