import { el, replaceText, showText } from '../../../editor/webview/page';
import type { FromItemPage, PageArguments, PageField, ToItemPage } from '../core/itemPageMessages';
import { type FieldInput, fieldInput, isGroup } from './fieldInputs';
import { SuggestionList } from './suggestionList';

/** More fields than this, and the optional ones are folded away until they are wanted. */
const UNFOLDED = 12;

interface Control {
  /** The field with its label, hint and problem. */
  readonly element: HTMLElement;
  readonly input: FieldInput;
  readonly problem: HTMLElement;
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
    const first = this.#controls[0]?.input.target ?? (this.#json.isConnected ? this.#json : undefined);
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
      control.input.show(value);
      const problem = value.isMissing && !this.#isAsked ? '' : value.problem;
      showText(control.problem, problem);
      control.input.target.setAttribute('aria-invalid', String(problem !== ''));
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
    const wrong = this.#controls.find(({ input }) => input.target.getAttribute('aria-invalid') === 'true');
    const target = wrong?.input.target ?? (this.#jsonProblem.hidden ? undefined : this.#json);
    const fold = target?.closest('details');
    if (fold) fold.open = true;
    if (target) target.focus();
    else this.#whole.scrollIntoView({ block: 'nearest' });
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
    const sink = {
      typed: (text: string) => this.post({ type: 'field', edit: ++this.#edit, index, text }),
      chose: (chosen: readonly number[]) => this.post({ type: 'choice', edit: ++this.#edit, index, chosen }),
    };
    const input = fieldInput(field, sink, { id, texts: this.texts });
    if (isGroup(field)) {
      const element = el('fieldset', 'field', el('legend', '', ...name), input.element, problem, about);
      if (field.kind === 'either') element.setAttribute('role', 'radiogroup');
      element.setAttribute('aria-describedby', describedBy);
      return { element, input, problem };
    }
    const { target } = input;
    target.setAttribute('aria-describedby', describedBy);
    target.setAttribute('aria-required', String(field.required));
    const label = el('label', { for: id }, ...name);
    const element = el('div', 'field', label, input.element, ...this.#browse(field, index, label), problem, about);
    if (field.suggests && (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement)) {
      const list = new SuggestionList(target, this.texts('suggestions'), () =>
        this.post({ type: 'suggest', index, text: target.value }),
      );
      this.#lists.set(index, list);
      target.after(list.element);
    }
    return { element, input, problem };
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
}
