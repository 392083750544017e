import { isObject } from '../../../base/json';

import vscode = require('vscode');

import { plain } from '../../../base/text';
import { window } from '../../../editor/window';
import { ItemRuns } from '../core/page/itemRuns';
import { readKeptArguments } from '../core/page/keptArguments';
import { ItemPage, type ItemPageServices } from './itemPage';
import {
  type Arguments,
  type ItemPlace,
  keyOfItem,
  keyOfPlace,
  type PageKind,
  type PageRow,
  type PageSubject,
} from './pageSubject';
import { PromptSubject, type PromptSubjectServices } from './promptSubject';
import { TemplateSubject, type TemplateSubjectServices } from './templateSubject';
import { ToolSubject, type ToolSubjectServices } from './toolSubject';

type Services = Omit<ItemPageServices, 'runs'> & ToolSubjectServices & PromptSubjectServices & TemplateSubjectServices;

const KINDS: readonly PageKind[] = ['tools', 'prompts', 'resourceTemplates'];

/** The pages of tools, prompts and resource templates: one for each, which is shown again rather than opened twice. */
export class ItemPages implements vscode.Disposable {
  readonly #pages = new Map<string, ItemPage>();
  readonly #runs = new ItemRuns();

  constructor(private readonly services: Services) {}

  open({ server, kind, item }: PageRow): void {
    const place = { kind, server: server.id, name: keyOfItem(item) };
    const open = this.#pages.get(keyOfPlace(place));
    if (open) {
      open.reveal();
      return;
    }
    const subject = this.#subject(place);
    const panel = window.createWebviewPanel('mcpHost.tool', plain(subject.title), vscode.ViewColumn.Active);
    this.#show(panel, subject);
  }

  /** Fills a page that was open before the window was reloaded. Nothing is run. */
  restore(panel: vscode.WebviewPanel, state: unknown): void {
    const place = placeIn(state);
    if (!place || this.#pages.has(keyOfPlace(place))) {
      panel.dispose();
      return;
    }
    this.#show(panel, this.#subject(place), readKeptArguments(isObject(state) ? state.kept : undefined));
  }

  dispose(): void {
    for (const page of this.#pages.values()) page.dispose();
  }

  #subject(place: ItemPlace): PageSubject {
    if (place.kind === 'tools') return new ToolSubject(place, this.services);
    return place.kind === 'prompts'
      ? new PromptSubject(place, this.services)
      : new TemplateSubject(place, this.services);
  }

  #show(panel: vscode.WebviewPanel, subject: PageSubject, typed?: Arguments): void {
    const page = new ItemPage(panel, subject, { ...this.services, runs: this.#runs }, typed);
    const key = keyOfPlace(subject.place);
    this.#pages.set(key, page);
    page.onDidDispose(() => this.#pages.delete(key));
  }
}

function placeIn(state: unknown): ItemPlace | undefined {
  const { kind, server, name } = (isObject(state) ? state : {}) as Partial<Record<keyof ItemPlace, unknown>>;
  const known = KINDS.find(one => one === kind);
  return known && typeof server === 'string' && typeof name === 'string' ? { kind: known, server, name } : undefined;
}
