import { el } from '../../../editor/webview/page';
import type { ViewRow } from '../traceMessages';
import type { ViewTexts } from '../traceTexts';
import { icon, iconButton } from './pictures';
import type { Filter } from './rowFilter';

/** More methods than a list can hold. */
const MAX_CHOICES = 300;

interface ToolbarListeners {
  filter(filter: Filter): void;
  waterfall(isWaterfall: boolean): void;
  follow(isFollowing: boolean): void;
  pause(isPaused: boolean): void;
  clear(): void;
  export(): void;
  /** Move the focus to the rows. */
  leave(): void;
}

/** The filters, and the actions on all messages. */
export class Toolbar {
  readonly element: HTMLElement;
  readonly #text: HTMLInputElement;
  readonly #server: HTMLSelectElement;
  readonly #method: HTMLSelectElement;
  readonly #tool: HTMLSelectElement;
  readonly #caller: HTMLSelectElement;
  readonly #errors: HTMLButtonElement;
  readonly #joined: HTMLButtonElement;
  readonly #pings: HTMLButtonElement;
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
    this.#server = el('select', { 'aria-label': texts.serverLabel });
    this.#method = el('select', { 'aria-label': texts.methodLabel });
    this.#tool = el('select', { 'aria-label': texts.toolLabel });
    this.#caller = el('select', { 'aria-label': texts.callerLabel });
    this.#text.addEventListener('input', () => this.#change({ text: this.#text.value }));
    this.#text.addEventListener('keydown', event => {
      const { key } = event;
      if (key === 'ArrowDown' || key === 'Enter') listeners.leave();
      // The browser selects all at once; the editor would do so again a moment later, and what was typed meanwhile be replaced.
      else if (key.toLowerCase() === 'a' && (event.ctrlKey || event.metaKey)) event.stopPropagation();
    });
    this.#server.addEventListener('change', () => this.#change({ server: this.#server.value }));
    this.#method.addEventListener('change', () => this.#change({ method: this.#method.value }));
    this.#tool.addEventListener('change', () => this.#change({ tool: this.#tool.value }));
    this.#caller.addEventListener('change', () => this.#change({ caller: this.#caller.value }));
    this.#errors = iconButton('errors', texts.errors, () => this.#change({ errors: !this.filter.errors }), false);
    this.#errors.title = texts.errorsTip;
    this.#joined = iconButton('join', texts.joined, () => this.#change({ joined: !this.filter.joined }), false);
    this.#joined.title = texts.joinedTip;
    this.#pings = iconButton('pings', texts.pings, () => this.#change({ pings: !this.filter.pings }), false);
    this.#pings.title = texts.pingsTip;
    this.#waterfall = iconButton(
      'waterfall',
      texts.waterfall,
      () => listeners.waterfall(!isPressed(this.#waterfall)),
      false,
    );
    this.#waterfall.title = texts.waterfallTip;
    this.#follow = iconButton('follow', texts.follow, () => listeners.follow(!isPressed(this.#follow)));
    this.#pause = iconButton('pause', texts.pause, () => listeners.pause(!this.#isPaused));
    const live = [this.#follow, this.#pause, iconButton('clear', texts.clear, () => listeners.clear())];
    this.element = el(
      'div',
      { class: 'toolbar' },
      el('div', 'search', icon('search'), this.#text),
      this.#server,
      this.#method,
      this.#tool,
      this.#caller,
      el('div', 'group', this.#errors, this.#joined, this.#pings, this.#waterfall),
      el(
        'div',
        { class: 'group end' },
        ...(isFile ? [] : live),
        iconButton('export', texts.export, () => listeners.export()),
      ),
    );
    this.#options(this.#server, texts.servers, [], filter.server);
    this.#options(this.#method, texts.methods, [], filter.method);
    this.#options(this.#tool, texts.tools, [], filter.tool);
    this.#options(this.#caller, texts.callers, [], filter.caller);
    this.show(filter);
  }

  focus(): void {
    this.#text.focus();
    this.#text.select();
  }

  show(filter: Filter): void {
    this.filter = filter;
    if (this.#text.value !== filter.text) this.#text.value = filter.text;
    this.#choose(this.#server, filter.server);
    this.#choose(this.#method, filter.method);
    this.#choose(this.#tool, filter.tool);
    this.#choose(this.#caller, filter.caller);
    press(this.#errors, filter.errors);
    press(this.#joined, filter.joined);
    press(this.#pings, filter.pings);
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
    const [servers, methods] = [new Set<string>(), new Set<string>()];
    const [tools, callers] = [new Set<string>(), new Set<string>()];
    for (const { server, method, subject, caller } of rows) {
      servers.add(server);
      if (method !== undefined && methods.size < MAX_CHOICES) methods.add(method);
      if (method === 'tools/call' && subject !== undefined && tools.size < MAX_CHOICES) tools.add(subject);
      if (caller !== undefined && callers.size < MAX_CHOICES) callers.add(caller);
    }
    this.#options(this.#server, this.texts.servers, [...servers].sort(), this.filter.server);
    this.#options(this.#method, this.texts.methods, [...methods].sort(), this.filter.method);
    this.#options(this.#tool, this.texts.tools, [...tools].sort(), this.filter.tool);
    this.#options(this.#caller, this.texts.callers, [...callers].sort(), this.filter.caller);
    this.#caller.hidden = callers.size === 0 && this.filter.caller === '';
    this.#tool.hidden = tools.size === 0 && this.filter.tool === '';
  }

  #change(change: Partial<Filter>): void {
    this.show({ ...this.filter, ...change });
    this.listeners.filter(this.filter);
  }

  #options(select: HTMLSelectElement, all: string, names: readonly string[], chosen: string): void {
    const wanted = [...names, ...(chosen && !names.includes(chosen) ? [chosen] : [])];
    const before = [...select.options].slice(1).map(({ value }) => value);
    if (select.options.length > 0 && wanted.join('\n') === before.join('\n')) return;
    const option = (value: string, label: string) => el('option', { value }, label);
    select.replaceChildren(option('', all), ...wanted.map(name => option(name, name)));
    select.value = chosen;
  }

  #choose(select: HTMLSelectElement, value: string): void {
    if (![...select.options].some(option => option.value === value)) select.append(el('option', { value }, value));
    select.value = value;
    select.classList.toggle('on', value !== '');
  }
}

const isPressed = (element: HTMLElement) => element.getAttribute('aria-pressed') === 'true';

function press(element: HTMLElement, pressed: boolean): void {
  element.setAttribute('aria-pressed', String(pressed));
}
