import { button, connect, el, replaceText, showText } from '../../../editor/webview/page';
import type { FromItemPage, PageButton, PageRun, ToItemPage } from '../core/itemPageMessages';
import { ArgumentFields } from './argumentFields';
import { ResultParts } from './resultParts';

const editor = connect<ToItemPage, FromItemPage, object>(receive);
const post = (message: FromItemPage) => editor.postMessage(message);
const main = document.querySelector('main')!;
let words: Readonly<Record<string, string>> = {};
let buttons: readonly PageButton[] = [];
let isQuestion = false;
const texts = (name: string) => words[name] ?? '';

/** The parts of the page. Made once its texts are there, then changed, so that focus and selection survive. */
class Page {
  readonly #title = el('h1');
  readonly #facts = el('p', 'dim');
  readonly #description = el('p', 'description');
  readonly #approval = el('p', 'approval');
  readonly #notice = el('section', 'notice');
  readonly #run = button(texts('runKey'), () => this.run(false), 'main');
  readonly #anyway = button(texts('sendAnyway'), () => this.run(true));
  readonly #cancel = button(texts('cancel'), () => post({ type: 'cancel' }));
  readonly #status = el('p', 'status');
  readonly #bar = el('progress');
  readonly #heading = el('h2', '', texts('result'));
  readonly #outcome = el('p', 'outcome', texts('noResult'));
  readonly #result = el('div', 'result');
  readonly #resultButtons = el('div', 'buttons');
  readonly #runs = el('ul', 'runs');
  readonly #runsHeading = el('h2', '', texts('runs'));
  readonly #parts = new ResultParts(post, texts);
  /** What someone else asks for is sent by its button alone: a key may be meant for something else. */
  readonly #fields = new ArgumentFields(
    post,
    texts,
    () => (isQuestion ? this.#run.focus() : this.run(false)),
    !isQuestion,
  );
  readonly #buttons = el('div', 'buttons', this.#run, this.#anyway, this.#cancel, ...buttons.map(one => act(one)));
  #canRun = false;
  #isRunning = false;
  /** The person has started a run here. A long form may hide what becomes of it. */
  #isAwaited = false;
  /** Where a person begins to type, once there is something to type into. */
  #isFocused = false;
  #shownApproval = '';

  constructor() {
    this.#notice.setAttribute('role', 'status');
    this.#status.setAttribute('role', 'status');
    this.#outcome.setAttribute('role', 'status');
    this.#bar.setAttribute('aria-label', texts('run'));
    main.replaceChildren(
      el('header', '', this.#title, this.#facts, this.#description, this.#approval, this.#notice),
      el('h2', '', texts('arguments')),
      this.#fields.element,
      this.#buttons,
      ...(isQuestion ? [] : this.#ofRuns()),
    );
    this.#anyway.hidden = true;
    this.#running(undefined);
    addEventListener('keydown', event => {
      if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      this.run(false);
    });
  }

  #ofRuns(): HTMLElement[] {
    return [
      el('div', 'running', this.#status, this.#bar),
      this.#heading,
      this.#outcome,
      this.#result,
      this.#resultButtons,
      this.#runsHeading,
      this.#runs,
    ];
  }

  run(anyway: boolean): void {
    if (!this.#canRun || this.#isRunning) return;
    this.#isAwaited = true;
    post({ type: 'run', anyway });
  }

  show(message: Exclude<ToItemPage, { type: 'texts' }>): void {
    switch (message.type) {
      case 'item':
        this.#item(message);
        break;
      case 'form':
        this.#fields.build(message.fields, message.note, message.beside);
        break;
      case 'arguments':
        this.#showArguments(message);
        break;
      case 'suggestions':
        this.#fields.suggest(message);
        break;
      case 'focus':
        window.focus();
        if (message.on === 'fields') this.#focus();
        else this.#focusApproval();
        break;
      case 'runs':
        this.#listRuns(message.runs, message.shown);
        break;
      case 'progress':
        this.#running(message);
        break;
      case 'result':
        this.#showResult(message);
    }
  }

  #showArguments({ arguments: now, edit, isAsked = false, kept }: ToItemPage & { type: 'arguments' }): void {
    this.#fields.show(now, edit, isAsked);
    if (kept !== undefined) editor.setState({ ...editor.getState(), kept });
    this.#anyway.hidden = !now.canSendAnyway;
    if (!this.#isFocused) this.#focus();
    this.#isFocused = true;
  }

  #focus(): void {
    if (!this.#fields.focus()) this.#run.focus();
  }

  #focusApproval(): void {
    this.#approval.querySelector('button')?.focus();
  }

  #item({ title, facts, description, notice, approval, canRun }: ToItemPage & { type: 'item' }): void {
    replaceText(this.#title, title);
    showText(this.#facts, facts.join(' · '));
    showText(this.#description, description);
    this.#canRun = canRun;
    this.#buttons.hidden = isQuestion && !canRun;
    // Not `disabled`, which would take the focus away.
    this.#run.setAttribute('aria-disabled', String(!canRun || this.#isRunning));
    const shown = JSON.stringify([notice, approval]);
    if (shown === this.#shownApproval) return;
    this.#shownApproval = shown;
    this.#notice.hidden = !notice;
    this.#notice.replaceChildren(...(notice ? [el('p', '', notice.text), buttonsOf(notice.buttons)] : []));
    const hadFocus = this.#approval.contains(document.activeElement);
    this.#approval.hidden = !approval;
    this.#approval.replaceChildren(...(approval ? [`${approval.text} `, act(approval.button, 'link')] : []));
    if (hadFocus) this.#focusApproval();
  }

  #running(progress: (ToItemPage & { type: 'progress' }) | undefined): void {
    this.#isRunning = progress !== undefined;
    this.#run.setAttribute('aria-disabled', String(!this.#canRun || this.#isRunning));
    this.#cancel.hidden = this.#bar.hidden = !progress;
    replaceText(this.#status, progress?.text ?? '');
    if (progress?.part === undefined) this.#bar.removeAttribute('value');
    else this.#bar.value = progress.part;
    if (progress && this.#isAwaited) this.#status.scrollIntoView({ block: 'nearest' });
  }

  #showResult({ id, heading, kind, blocks, buttons, canOpen }: ToItemPage & { type: 'result' }): void {
    const hadFocus = document.activeElement === this.#cancel;
    this.#running(undefined);
    if (hadFocus) this.#run.focus();
    replaceText(this.#outcome, heading);
    this.#outcome.dataset.kind = kind;
    this.#result.replaceChildren(...this.#parts.draw(id, blocks));
    this.#resultButtons.replaceChildren(
      ...buttons.map(one => act(one)),
      ...(canOpen ? [button(texts('openDocument'), () => post({ type: 'open', run: id }))] : []),
    );
    if (!this.#isAwaited) return;
    this.#isAwaited = false;
    for (const part of [this.#result, this.#outcome]) part.scrollIntoView({ block: 'nearest' });
  }

  #listRuns(runs: readonly PageRun[], shown: number | undefined): void {
    const focused = (document.activeElement as HTMLElement | null)?.dataset.run;
    const earlier = runs.filter(({ id, kind }) => id !== shown && kind !== 'running');
    this.#runsHeading.hidden = this.#runs.hidden = earlier.length === 0;
    const isRunning = runs[0]?.kind === 'running';
    editor.setState({ ...editor.getState(), isRunning });
    if (isRunning) {
      this.#parts.release();
      this.#result.replaceChildren();
      this.#resultButtons.replaceChildren();
      replaceText(this.#outcome, '');
      delete this.#outcome.dataset.kind;
    }
    this.#runs.replaceChildren(...earlier.map(run => this.#runRow(run)));
    if (focused) this.#runs.querySelector<HTMLElement>(`[data-run="${CSS.escape(focused)}"]`)?.focus();
  }

  #runRow({ id, text, args, kind }: PageRun): HTMLElement {
    const buttons = (['show', 'again', 'use'] as const).map(type => {
      const made = button(texts(type), () => post({ type, run: id }));
      made.dataset.run = `${type}-${id}`;
      // Several rows have the same buttons.
      made.setAttribute('aria-label', `${texts(type)}: ${text}`);
      return made;
    });
    const row = el('li', '', el('span', 'when', text), el('code', '', args), el('span', 'buttons', ...buttons));
    row.dataset.kind = kind;
    return row;
  }
}

const act = ({ action, label, isMain }: PageButton, className = isMain ? 'main' : '') =>
  button(label, () => post({ type: 'act', action }), className);

const buttonsOf = (buttons: readonly PageButton[]) => el('div', 'buttons', ...buttons.map(one => act(one)));

let page: Page | undefined;
function receive(message: ToItemPage): void {
  if (message.type !== 'texts') {
    page?.show(message);
    return;
  }
  words = message.texts;
  buttons = message.buttons;
  isQuestion = message.isQuestion === true;
  editor.setState({ ...editor.getState(), ...message.place });
  page = new Page();
}

post({ type: 'ready' });
