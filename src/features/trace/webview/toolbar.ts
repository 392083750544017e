import { el } from '../../../editor/webview/page';
import type { FromTracePage, ViewRow } from '../traceMessages';
import type { ViewTexts } from '../traceTexts';
import { type IconName, icon, iconButton } from './pictures';
import type { Filter } from './rowFilter';

/** More methods than a list can hold. */
const MAX_CHOICES = 300;

interface ToolbarListeners {
  filter(filter: Filter): void;
  waterfall(isWaterfall: boolean): void;
  follow(isFollowing: boolean): void;
  post(message: FromTracePage): void;
  /** Move the focus to the rows. */
  leave(): void;
}

/** The lists to choose from, and the buttons that are pressed or not; both are members of the filter. */
const LISTS = ['server', 'method', 'tool', 'caller'] as const;
const SWITCHES = ['errors', 'joined', 'pings'] as const;

/** The filters, and the actions on all messages. */
export class Toolbar {
  readonly element: HTMLElement;
  readonly #text: HTMLInputElement;
  readonly #lists: Readonly<Record<(typeof LISTS)[number], HTMLSelectElement>>;
  readonly #switches: Readonly<Record<(typeof SWITCHES)[number], HTMLButtonElement>>;
  readonly #waterfall: HTMLButtonElement;
  readonly #follow: HTMLButtonElement;
  readonly #pause: HTMLButtonElement;
  #isPaused = false;

  constructor(
    private readonly texts: ViewTexts,
    private readonly listeners: ToolbarListeners,
    private filter: Filter,
    isFile: boolean,
  ) {
    this.#text = el('input', {
      type: 'search',
      placeholder: texts.filter,
      'aria-label': texts.filterLabel,
      spellcheck: 'false',
    });
    this.#text.addEventListener('input', () => this.#change({ text: this.#text.value }));
    this.#text.addEventListener('keydown', event => {
      const { key } = event;
      if (key === 'ArrowDown' || key === 'Enter') listeners.leave();
      // The browser selects all at once; the editor would do so again a moment later, and what was typed meanwhile be replaced.
      else if (key.toLowerCase() === 'a' && (event.ctrlKey || event.metaKey)) event.stopPropagation();
    });
    const list = (name: (typeof LISTS)[number]) => {
      const select = el('select', { 'aria-label': texts[`${name}Label`] });
      select.addEventListener('change', () => this.#change({ [name]: select.value }));
      return select;
    };
    this.#lists = { server: list('server'), method: list('method'), tool: list('tool'), caller: list('caller') };
    const toggle = (icon: IconName, name: (typeof SWITCHES)[number] | 'waterfall', onClick: () => void) => {
      const made = iconButton(icon, texts[name], onClick, false);
      made.title = texts[`${name}Tip`];
      return made;
    };
    const filterBy = (icon: IconName, name: (typeof SWITCHES)[number]) =>
      toggle(icon, name, () => this.#change({ [name]: !this.filter[name] }));
    this.#switches = {
      errors: filterBy('errors', 'errors'),
      joined: filterBy('join', 'joined'),
      pings: filterBy('pings', 'pings'),
    };
    this.#waterfall = toggle('waterfall', 'waterfall', () => listeners.waterfall(!isPressed(this.#waterfall)));
    this.#follow = iconButton('follow', texts.follow, () => listeners.follow(!isPressed(this.#follow)));
    this.#pause = iconButton('pause', texts.pause, () => listeners.post({ type: 'pause', isPaused: !this.#isPaused }));
    const post = (name: IconName, label: string, type: 'clear' | 'export' | 'health' | 'log') =>
      iconButton(name, label, () => listeners.post({ type }));
    const live = [this.#follow, this.#pause, post('clear', texts.clear, 'clear')];
    this.element = el(
      'div',
      { class: 'toolbar' },
      el('div', 'search', icon('search'), this.#text),
      ...LISTS.map(name => this.#lists[name]),
      el('div', 'group', ...SWITCHES.map(name => this.#switches[name]), this.#waterfall),
      el(
        'div',
        { class: 'group end' },
        ...(isFile ? [] : live),
        post('export', texts.export, 'export'),
        post('terminal', texts.log, 'log'),
        post('pings', texts.health, 'health'),
      ),
    );
    this.offer([]);
    this.show(filter);
  }

  focus(): void {
    this.#text.focus();
    this.#text.select();
  }

  show(filter: Filter): void {
    this.filter = filter;
    if (this.#text.value !== filter.text) this.#text.value = filter.text;
    for (const name of LISTS) choose(this.#lists[name], filter[name]);
    for (const name of SWITCHES) press(this.#switches[name], filter[name]);
  }

  showWaterfall(isWaterfall: boolean): void {
    press(this.#waterfall, isWaterfall);
  }

  showFollow(isFollowing: boolean): void {
    press(this.#follow, isFollowing);
  }

  showPause(isPaused: boolean): void {
    const label = isPaused ? this.texts.resume : this.texts.pause;
    this.#isPaused = isPaused;
    this.#pause.replaceChildren(icon(isPaused ? 'resume' : 'pause'));
    this.#pause.setAttribute('aria-label', label);
    this.#pause.title = label;
    this.#pause.classList.toggle('on', isPaused);
  }

  /** The choices: everything that occurs in the messages. */
  offer(rows: Iterable<ViewRow>): void {
    const found = {
      server: new Set<string>(),
      method: new Set<string>(),
      tool: new Set<string>(),
      caller: new Set<string>(),
    };
    const note = (name: (typeof LISTS)[number], value: string | undefined) => {
      if (value !== undefined && found[name].size < MAX_CHOICES) found[name].add(value);
    };
    for (const { server, method, subject, caller } of rows) {
      note('server', server);
      note('method', method);
      note('caller', caller);
      if (method === 'tools/call') note('tool', subject);
    }
    for (const name of LISTS) {
      setOptions(this.#lists[name], this.texts[`${name}s`], [...found[name]].sort(), this.filter[name]);
      if (name === 'tool' || name === 'caller')
        this.#lists[name].hidden = found[name].size === 0 && this.filter[name] === '';
    }
  }

  #change(change: Partial<Filter>): void {
    this.show({ ...this.filter, ...change });
    this.listeners.filter(this.filter);
  }
}

function setOptions(select: HTMLSelectElement, all: string, names: readonly string[], chosen: string): void {
  const wanted = [...names, ...(chosen && !names.includes(chosen) ? [chosen] : [])];
  const before = [...select.options].slice(1).map(({ value }) => value);
  if (select.options.length > 0 && wanted.join('\n') === before.join('\n')) return;
  const option = (value: string, label: string) => el('option', { value }, label);
  select.replaceChildren(option('', all), ...wanted.map(name => option(name, name)));
  select.value = chosen;
}

function choose(select: HTMLSelectElement, value: string): void {
  if (![...select.options].some(option => option.value === value)) select.append(el('option', { value }, value));
  select.value = value;
  select.classList.toggle('on', value !== '');
}

const isPressed = (element: HTMLElement) => element.getAttribute('aria-pressed') === 'true';

function press(element: HTMLElement, pressed: boolean): void {
  element.setAttribute('aria-pressed', String(pressed));
}
