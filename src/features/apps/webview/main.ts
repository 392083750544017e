import { button, connect, el } from '../../../editor/webview/page';
import { type AppSurroundings, type FromAppPage, Gestures, MessageGate, type ToAppPage } from '../core/appMessages';
import { FocusGuard, type FocusView } from '../core/focusGuard';
import { type FromRelay, relayHtml, type ToRelay } from './appRelay';

// The page around one app. The app is in a frame of its own with an opaque origin, within one that reads what it says (`appRelay.ts`).

const editor = connect<ToAppPage, FromAppPage, { readonly key: string }>(fromEditor);
const main = document.querySelector('main')!;
const label = el('span', 'label');
const details = el('span', 'details');
// The Tab key leads into the app only from a stop of the page: where it leads straight into a frame, no page can tell.
const heading = el('header', { class: 'heading', tabindex: 0, role: 'group' }, label, details);
const behind = el('div', { class: 'behind', tabindex: 0, role: 'group' });
const note = el('div', { class: 'note', role: 'status' });
const area = el('div', 'area');
main.append(heading, note, area, behind);

/** How often it is looked where the focus is, and whether a gesture is over, in milliseconds. */
const LOOK_MS = 25;

/** The app that is shown, and what counts its messages and watches its focus. */
let app:
  | {
      readonly frame: HTMLIFrameElement;
      readonly gate: MessageGate;
      readonly focus: FocusGuard;
    }
  | undefined;

const view = (): FocusView => ({
  isInApp: app !== undefined && document.activeElement === app.frame,
  isInPage: document.hasFocus(),
  isPointed: app?.frame.matches(':hover') ?? false,
  isActive: navigator.userActivation.isActive,
});
const gestures = new Gestures(
  () => view().isActive,
  () => app?.focus.isMeant(view(), performance.now()) ?? false,
);

addEventListener('message', event => {
  if (!app || event.source === parent || event.source === window) return;
  // Data of other frames is not read: an app can make reading it slow, and the focus is not guarded meanwhile.
  if (event.source === app.frame.contentWindow) fromRelay(app, event.data as FromRelay);
  else stopFor(app.gate.take(0, performance.now()));
});

function fromEditor(message: ToAppPage): void {
  switch (message.type) {
    case 'load':
      load(message);
      break;
    case 'message':
      tellRelay(message);
      break;
    case 'note':
      show(note, message.text, message.action);
      break;
    case 'layout':
      area.classList.toggle('flexible', message.isFlexible);
      if (app && !message.isFlexible) app.frame.style.height = '';
      break;
    case 'height':
      if (app) app.frame.style.height = `${message.height}px`;
      break;
    case 'end':
      remove();
      show(note, message.text, message.action);
  }
}

setInterval(look, LOOK_MS);
addEventListener('keydown', ({ key, ctrlKey, metaKey, altKey }) => {
  if (ctrlKey || metaKey || altKey) return;
  app?.focus.press(key, performance.now());
  look();
});

function look(): void {
  if (!app) return;
  const what = app.focus.look(view(), performance.now());
  app.frame.tabIndex = app.focus.isOpen ? 0 : -1;
  if (what === 'greedy') stop('focus');
  else if (what) {
    if (what === 'taken') heading.focus();
    editor.postMessage({ type: 'focus', isTaken: what === 'taken' });
  }
  gestures.look();
}

function fromRelay({ gate, focus }: NonNullable<typeof app>, message: FromRelay): void {
  const now = performance.now();
  if (message.type === 'click') focus.clickInApp(now);
  else if (message.type === 'gone') stop(message.why);
  else {
    const excess = gate.take(message.length, now);
    stopFor(excess);
    if (excess) return;
    // What is done in the app's frame counts for the pages around it, too.
    look();
    editor.postMessage({ type: 'message', text: message.text, gesture: gestures.latest });
  }
}

function stopFor(excess: ReturnType<MessageGate['take']>): void {
  if (excess) stop(excess);
}

function tellRelay(message: ToRelay): void {
  // To an opaque origin only `*` leads; no other window can be in this frame.
  app?.frame.contentWindow?.postMessage(message, '*');
}

/** As the frame is drawn, which has to be alike around it and in it: else the browser paints a background. */
const tellScheme = () => app && tellRelay({ type: 'scheme', scheme: getComputedStyle(app.frame).colorScheme });

function load({ html, clickWord, allow, frame: shown, key }: Extract<ToAppPage, { type: 'load' }>): void {
  remove();
  show(note, '');
  label.textContent = shown.label;
  details.textContent = shown.details;
  for (const place of [heading, behind]) place.setAttribute('aria-label', shown.title);
  area.classList.toggle('bordered', shown.hasBorder);
  area.classList.remove('flexible');
  editor.setState({ key });
  const frame = el('iframe', 'app');
  frame.setAttribute('sandbox', 'allow-scripts allow-forms');
  frame.referrerPolicy = 'no-referrer';
  frame.allow = allow;
  frame.title = shown.title;
  frame.srcdoc = relayHtml();
  let loads = 0;
  frame.addEventListener('load', () => {
    if (app?.frame !== frame) return;
    if (++loads > 1) stop('navigated');
    tellScheme();
    if (loads === 1) tellRelay({ type: 'load', html, title: shown.title, allow, word: clickWord });
  });
  app = { frame, gate: new MessageGate(), focus: new FocusGuard() };
  // Nothing of the app has run yet: it is the person who is here.
  if (document.hasFocus()) app.focus.expect(performance.now());
  area.append(frame);
}

function stop(why: Extract<FromAppPage, { type: 'gone' }>['why']): void {
  remove();
  editor.postMessage({ type: 'gone', why });
}

function remove(): void {
  app?.frame.remove();
  app = undefined;
}

function show(place: HTMLElement, text: string, action?: { readonly name: string; readonly label: string }): void {
  place.replaceChildren(...(text ? [el('span', '', text)] : []));
  if (!action) return;
  place.append(button(action.label, () => editor.postMessage({ type: 'act', name: action.name })));
}

let last = '';
function tell(type: 'ready' | 'surroundings'): void {
  const surroundings = surroundingsOf(area);
  const text = JSON.stringify(surroundings);
  if (text === last) return;
  last = text;
  editor.postMessage({ type, surroundings });
}

new ResizeObserver(() => tell('surroundings')).observe(area);
// A change of the theme changes the body's class, and the root's style.
const themes = new MutationObserver(() => {
  tell('surroundings');
  tellScheme();
});
themes.observe(document.body, { attributes: true, attributeFilter: ['class'] });
themes.observe(document.documentElement, { attributes: true, attributeFilter: ['style'] });

/** The custom properties for apps (ext-apps 2026-01-26, "Theming"), each from the first colour that the theme has. */
const COLOURS: Readonly<Record<string, readonly string[]>> = {
  '--color-background-primary': ['editor-background'],
  '--color-background-secondary': ['sideBar-background', 'editorWidget-background'],
  '--color-background-tertiary': ['editorWidget-background', 'input-background'],
  '--color-background-inverse': ['button-background', 'contrastBorder'],
  '--color-background-ghost': ['toolbar-hoverBackground', 'list-hoverBackground', 'editor-background'],
  '--color-background-info': ['inputValidation-infoBackground', 'editor-background'],
  '--color-background-danger': ['inputValidation-errorBackground', 'editor-background'],
  '--color-background-success': ['diffEditor-insertedTextBackground', 'editor-background'],
  '--color-background-warning': ['inputValidation-warningBackground', 'editor-background'],
  '--color-background-disabled': ['button-secondaryBackground', 'editor-background'],
  '--color-text-primary': ['editor-foreground', 'foreground'],
  '--color-text-secondary': ['descriptionForeground'],
  '--color-text-tertiary': ['disabledForeground', 'descriptionForeground'],
  '--color-text-inverse': ['button-foreground', 'editor-background'],
  '--color-text-ghost': ['descriptionForeground'],
  '--color-text-info': ['editorInfo-foreground', 'textLink-foreground'],
  '--color-text-danger': ['errorForeground'],
  '--color-text-success': ['testing-iconPassed', 'charts-green'],
  '--color-text-warning': ['editorWarning-foreground'],
  '--color-text-disabled': ['disabledForeground'],
  '--color-border-primary': ['contrastBorder', 'widget-border', 'panel-border'],
  '--color-border-secondary': ['contrastBorder', 'panel-border'],
  '--color-border-tertiary': ['contrastBorder', 'editorWidget-border', 'panel-border'],
  '--color-border-inverse': ['contrastBorder', 'button-border', 'button-background'],
  '--color-border-ghost': ['contrastBorder', 'panel-border'],
  '--color-border-info': ['inputValidation-infoBorder', 'panel-border'],
  '--color-border-danger': ['inputValidation-errorBorder', 'panel-border'],
  '--color-border-success': ['testing-iconPassed', 'panel-border'],
  '--color-border-warning': ['inputValidation-warningBorder', 'panel-border'],
  '--color-border-disabled': ['contrastBorder', 'panel-border'],
  '--color-ring-primary': ['focusBorder'],
  '--color-ring-secondary': ['focusBorder'],
  '--color-ring-inverse': ['focusBorder'],
  '--color-ring-info': ['inputValidation-infoBorder', 'focusBorder'],
  '--color-ring-danger': ['inputValidation-errorBorder', 'focusBorder'],
  '--color-ring-success': ['testing-iconPassed', 'focusBorder'],
  '--color-ring-warning': ['inputValidation-warningBorder', 'focusBorder'],
  '--font-sans': ['font-family'],
  '--font-mono': ['editor-font-family'],
};

/** Variables that do not depend on the theme, by their names: sizes as in the editor's own pages. */
const SIZES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '--font-weight-*': { normal: '400', medium: '500', semibold: '600', bold: '700' },
  '--font-text-*-size': { xs: '11px', sm: '12px', md: '13px', lg: '15px' },
  '--font-heading-*-size': { xs: '13px', sm: '15px', md: '18px', lg: '22px', xl: '26px', '2xl': '32px', '3xl': '38px' },
  '--font-text-*-line-height': { xs: '1.4', sm: '1.4', md: '1.5', lg: '1.5' },
  '--font-heading-*-line-height': {
    xs: '1.3',
    sm: '1.3',
    md: '1.3',
    lg: '1.25',
    xl: '1.25',
    '2xl': '1.2',
    '3xl': '1.2',
  },
  '--border-radius-*': { xs: '2px', sm: '3px', md: '4px', lg: '6px', xl: '8px', full: '9999px' },
  '--border-width-*': { regular: '1px' },
  '--shadow-*': {
    hairline: '0 0 0 1px var(--color-border-primary)',
    sm: '0 1px 2px rgb(0 0 0 / 20%)',
    md: '0 2px 8px rgb(0 0 0 / 25%)',
    lg: '0 4px 16px rgb(0 0 0 / 30%)',
  },
};

/** The page's view of the window, in the terms of the specification. */
function surroundingsOf(area: Element): AppSurroundings {
  const styles = getComputedStyle(document.documentElement);
  const colour = (names: readonly string[]) =>
    names.map(name => styles.getPropertyValue(`--vscode-${name}`).trim()).find(Boolean);
  const variables: Record<string, string> = {};
  for (const [names, values] of Object.entries(SIZES))
    for (const [size, value] of Object.entries(values)) variables[names.replace('*', size)] = value;
  for (const [property, names] of Object.entries(COLOURS)) {
    const value = colour(names);
    if (value) variables[property] = value;
  }
  const isLight = /vscode-(light|high-contrast-light)/.test(document.body.className);
  return {
    theme: isLight ? 'light' : 'dark',
    variables,
    width: Math.round(area.clientWidth),
    height: Math.round(area.clientHeight),
    touch: matchMedia('(any-pointer: coarse)').matches,
    hover: matchMedia('(any-hover: hover)').matches,
  };
}

// The last statement: what it calls uses the tables above.
tell('ready');
