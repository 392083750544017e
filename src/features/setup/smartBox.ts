import vscode = require('vscode');

import { rowText } from '../../base/text';
import { localized } from '../../editor/errorText';
import { joined, type PlainRow, t, window } from '../../editor/window';
import type { BundleSetup } from './bundleSetup';
import { withCard } from './chooseCard';
import { askForMissing } from './core/missingValues';
import type { ServerDraft } from './core/serverDraft';
import { type DraftKind, type Meaning, meaningsOf } from './core/textMeanings';
import { launchLineOf, notesOf } from './launchText';
import { chooseFromRegistry } from './registrySearch';
import { BACK, ended, prepare, type StepEnd } from './wizard';

/** A web window runs no programs. */
const IN_BROWSER = String(process.platform) === 'web';
/** The length that fits into the box: longer texts are read, but not shown. */
const MAX_SHOWN = 20_000;

/** A row that leads elsewhere, besides the meanings of the text in the box. */
export interface OtherWay extends PlainRow {
  run: () => unknown;
}

interface Row extends PlainRow {
  meaning?: Meaning;
  run?: OtherWay['run'];
  /** The initial text of the box when this row is chosen. */
  begin?: string;
  /** The box takes what was copied. */
  paste?: true;
}

interface BoxServices {
  /** Asks which of several servers to add. */
  several: (drafts: ServerDraft[]) => Promise<void>;
  bundles: Pick<BundleSetup, 'choose' | 'row'>;
  others: () => readonly OtherWay[];
  /** The address of the registry that is searched. Undefined: none. */
  registry: string | undefined;
}

/**
 * The one box into which a person types or pastes whatever they have of a server. Its rows say what would be done with it, the
 * likeliest first. Nothing is run from here, and fetched only what the person chose: the registry, or the card of a server at an
 * address if the setting is on. All else is reviewed first.
 */
export class SmartBox {
  #text: string;
  #isChosen: boolean;

  /**
   * @param text what it contains at first.
   * @param isChosen whether that was chosen already, as by a selection: if it means one thing, this is done at once.
   */
  constructor(
    private readonly services: BoxServices,
    text = '',
    isChosen = false,
  ) {
    this.#text = text;
    this.#isChosen = isChosen;
  }

  /** Asks for a server and reports it with `take`. Called again, it has what was in it. */
  async ask(title: string, take: (draft: ServerDraft) => void): Promise<StepEnd> {
    for (;;) {
      const [only, ...more] = this.#isChosen ? meaningsOf(this.#text) : [];
      this.#isChosen = false;
      const isClear = only && more.length === 0 && isPossible(only);
      const chosen: Row | undefined = isClear ? { label: '', meaning: only } : await this.#choose(title);
      if (chosen?.run) await chosen.run();
      if (!chosen?.meaning) return undefined;
      const { meaning } = chosen;
      if (meaning.kind === 'registry') {
        const { registry, bundles } = this.services;
        const options = { query: meaning.query, bundle: bundles.choose };
        const end = await chooseFromRegistry(registry!, title, take, options);
        if (end === 'back') continue;
        return end;
      }
      if (meaning.kind === 'bundle') return this.services.bundles.choose({ place: meaning.place }, take);
      if (meaning.kind === 'unreadable') continue;
      if (meaning.kind === 'several') {
        await this.services.several(meaning.drafts.map(withInputs));
        return undefined;
      }
      const draft = meaning.kind === 'url' ? await withCard(meaning.draft, title) : meaning.draft;
      if (draft === BACK) continue;
      if (!draft) return undefined;
      take(withInputs(draft));
      return 'next';
    }
  }

  #choose(title: string): Promise<Row | undefined> {
    const pick = window.createQuickPick<Row>();
    prepare(pick, title);
    pick.placeholder = t('Paste or type a URL, a command line, JSON, or the name of a package');
    let rows: readonly Row[] = [];
    const show = (text: string) => {
      this.#text = text;
      rows = this.#rows(text);
      pick.items = rows;
      // The editor sorts rows by how well they match, which says nothing here.
      const best = rows.find(({ kind }) => kind !== vscode.QuickPickItemKind.Separator);
      if (best) pick.activeItems = [best];
    };
    const begin = (text: string) => {
      pick.value = text;
      show(text);
    };
    begin(
      this.#text
        .trim()
        .replace(/\s*\n\s*/g, ' ')
        .slice(0, MAX_SHOWN),
    );
    const answer = ended<Row>(pick, end => [
      pick.onDidChangeValue(show),
      pick.onDidAccept(async () => {
        // Enter may come before the rows for what was just pasted.
        if (pick.value !== this.#text && pick.value.length < MAX_SHOWN) show(pick.value);
        const [selected] = pick.selectedItems;
        const row = rows.find(each => each === selected) ?? rows[0];
        if (row?.begin !== undefined) begin(row.begin);
        else if (row?.paste)
          begin(
            (await vscode.env.clipboard.readText())
              .trim()
              .replace(/\s*\n\s*/g, ' ')
              .slice(0, MAX_SHOWN),
          );
        else if (row?.run || (row?.meaning && isPossible(row.meaning))) end(row);
      }),
    ]);
    return answer as Promise<Row | undefined>;
  }

  #rows(text: string): readonly Row[] {
    const ways = this.#ways();
    const typed = text.trim().toLowerCase();
    if (typed === '') return ways;
    const meant = meaningsOf(text).filter(({ kind }) => kind !== 'registry' || this.services.registry !== undefined);
    // Somebody who types the name of a row wants that row.
    const named = ways.filter(({ label }) => typed.length > 2 && label.toLowerCase().startsWith(typed));
    const rows = [...named, ...meant.map(meaning => this.#rowOf(meaning))].map(row => ({ ...row, alwaysShow: true }));
    return rows.length > 0
      ? rows
      : [{ label: t('Enter an address that starts with https:// or http://.'), alwaysShow: true }];
  }

  #rowOf(meaning: Meaning): Row {
    return meaning.kind === 'bundle' ? { ...this.services.bundles.row(meaning.place), meaning } : rowOf(meaning);
  }

  #ways(): Row[] {
    const begin = (icon: string, label: Row['label'], detail: Row['detail'], text: string): Row => ({
      iconPath: new vscode.ThemeIcon(icon),
      label,
      detail,
      begin: text,
    });
    const search: Row = {
      iconPath: new vscode.ThemeIcon('search'),
      label: t('MCP Registry'),
      detail: t('Search published servers by name'),
      meaning: { kind: 'registry', query: '' },
    };
    const programs = [
      begin('package', t('npm Package'), t('Run by npx, which comes with Node.js'), 'npx -y '),
      begin('package', t('Python Package'), t('Run by uvx, which comes with uv'), 'uvx '),
      begin('vm', t('Container Image'), t('Run by Docker'), 'docker run -i --rm '),
    ];
    const others = this.services.others();
    return [
      ...(this.services.registry === undefined ? [] : [search]),
      begin('globe', t('URL'), t('A remote server, over HTTP'), 'https://'),
      ...(IN_BROWSER ? [] : programs),
      {
        iconPath: new vscode.ThemeIcon('json'),
        label: t('JSON from a README'),
        detail: t('In the format of any host, from the clipboard'),
        paste: true,
      },
      ...(others.length > 0 ? [{ label: '' as const, kind: vscode.QuickPickItemKind.Separator }, ...others] : []),
    ];
  }
}

const withInputs = (draft: ServerDraft) => askForMissing(draft, name => process.env[name] !== undefined);

const isProgram = ({ entry }: ServerDraft) => entry.command !== undefined;

/** Whether this can be done in this window. */
function isPossible(meaning: Meaning): boolean {
  if (meaning.kind === 'unreadable') return false;
  return !IN_BROWSER || !('draft' in meaning) || !isProgram(meaning.draft);
}

const KINDS: Record<DraftKind, { icon: string; text: () => Row['detail'] }> = {
  url: { icon: 'globe', text: () => t('A remote server, over HTTP') },
  command: { icon: 'terminal', text: () => t('A program on this machine, as you would start it in a terminal') },
  npm: { icon: 'package', text: () => t('npm package, run by npx') },
  python: { icon: 'package', text: () => t('Python package, run by uvx') },
  image: { icon: 'vm', text: () => t('Container image, run by Docker') },
  json: { icon: 'json', text: () => t('As described in this text') },
  link: { icon: 'link', text: () => t('As described in this link') },
};

function rowOf(meaning: Exclude<Meaning, { kind: 'bundle' }>): Row {
  switch (meaning.kind) {
    case 'unreadable':
      return { iconPath: new vscode.ThemeIcon('info'), label: rowText(localized(meaning.why), 300), meaning };
    case 'registry':
      return {
        iconPath: new vscode.ThemeIcon('search'),
        label: t('Search the MCP Registry'),
        description: rowText(meaning.query, 120),
        detail: t('Search published servers by name'),
        meaning,
      };
    case 'several':
      return {
        iconPath: new vscode.ThemeIcon('list-selection'),
        label: t('Add {0} servers…', meaning.drafts.length),
        description: rowText(meaning.drafts.map(({ name }) => name).join(', '), 120),
        detail: t('As described in this text'),
        meaning,
      };
    default:
      return draftRow(meaning);
  }
}

function draftRow(meaning: Extract<Meaning, { kind: DraftKind }>): Row {
  const { icon, text } = KINDS[meaning.kind];
  const draft = withInputs(meaning.draft);
  const isOne = isPossible(meaning);
  const notes = rowText(notesOf(draft).join(' · '), 200);
  return {
    iconPath: new vscode.ThemeIcon(isOne ? icon : 'circle-slash'),
    label: t('Add "{0}"', draft.name),
    description: rowText(launchLineOf(draft.entry), 120),
    detail: isOne ? joined([text(), notes], ' · ') : t('Web windows cannot run programs. Add it in a desktop window.'),
    meaning,
  };
}
