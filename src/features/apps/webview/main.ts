// The page around one app. The app is in a frame of its own with an opaque origin, and everything it says comes through here.

import { button, connect, el } from '../../../editor/webview/page';
import type { FromAppPage, ToAppPage } from '../core/appMessages';
import { Gestures } from '../core/gestures';
import { MessageGate } from '../core/messageGate';
import { surroundingsOf } from './surroundings';

const editor = connect<ToAppPage, FromAppPage, { readonly key: string }>(fromEditor);
const main = document.querySelector('main')!;
const label = el('span', 'label');
const details = el('span', 'details');
const heading = el('header', 'heading', label, details);
const note = el('div', { class: 'note', role: 'status' });
const area = el('div', 'area');
main.append(heading, note, area);

/** How often it is looked whether a gesture is over, in milliseconds. */
const LOOK_MS = 100;
const gestures = new Gestures(
  () => navigator.userActivation.isActive,
  look => setTimeout(look, LOOK_MS),
);

/** The app that is shown, and what counts its messages. */
let app: { readonly frame: HTMLIFrameElement; readonly gate: MessageGate } | undefined;

// Only the app's own frame: those that the app has in it speak to the app.
addEventListener('message', ({ source, data }: MessageEvent<unknown>) => {
  if (app && source === app.frame.contentWindow) fromApp(app.gate, data);
});

function fromEditor(message: ToAppPage): void {
  switch (message.type) {
    case 'load':
      load(message);
      break;
    case 'message':
      // To an opaque origin only `*` leads; no other window can be in this frame.
      app?.frame.contentWindow?.postMessage(JSON.parse(message.text), '*');
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

function fromApp(gate: MessageGate, data: unknown): void {
  let text: string | undefined;
  try {
    text = JSON.stringify(data);
  } catch {
    // No JSON-RPC message has what JSON has not.
  }
  const excess = gate.take(text?.length ?? 0, performance.now());
  if (excess) {
    remove();
    editor.postMessage({ type: 'gone', why: excess });
  } else if (text !== undefined) {
    // What is done in the app's frame counts for the pages around it, too.
    editor.postMessage({
      ...{ type: 'message', text, gesture: gestures.latest },
      isUsed: navigator.userActivation.hasBeenActive,
    });
  }
}

function load({ html, allow, frame: shown, key }: Extract<ToAppPage, { type: 'load' }>): void {
  remove();
  show(note, '');
  label.textContent = shown.label;
  details.textContent = shown.details;
  area.classList.toggle('bordered', shown.hasBorder);
  area.classList.remove('flexible');
  editor.setState({ key });
  const frame = el('iframe', 'app');
  // No `allow-same-origin`: the origin is opaque. No popups, no dialogs, no way to the frames around it.
  frame.setAttribute('sandbox', 'allow-scripts allow-forms');
  frame.referrerPolicy = 'no-referrer';
  frame.allow = allow;
  frame.title = shown.title;
  frame.srcdoc = html;
  let loads = 0;
  frame.addEventListener('load', () => {
    if (++loads === 1 || app?.frame !== frame) return;
    remove();
    editor.postMessage({ type: 'gone', why: 'navigated' });
  });
  app = { frame, gate: new MessageGate() };
  area.append(frame);
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
const themes = new MutationObserver(() => tell('surroundings'));
themes.observe(document.body, { attributes: true, attributeFilter: ['class'] });
themes.observe(document.documentElement, { attributes: true, attributeFilter: ['style'] });
tell('ready');
