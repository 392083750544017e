import vscode = require('vscode');

import { rowText, visible } from '../../base/text';
import { answerIn } from '../../editor/dialogs';
import { localized } from '../../editor/errorText';
import { settingValue } from '../../editor/settingValues';
import { themeIcon } from '../../editor/stateText';
import { joined, type PlainRow, t, window } from '../../editor/window';
import type { BundleSetup } from './bundleSetup';
import { askForMissing } from './core/missingValues';
import { cardChoices, findServerCards } from './core/serverCards';
import type { ServerDraft } from './core/serverDraft';
import { type DraftKind, type Meaning, meaningsOf } from './core/textMeanings';
import { RUNS_PROGRAMS } from './desktop';
import { launchLineOf, notesOf } from './launchText';

/** The length that fits into the box: longer texts are read, but not shown. */
const MAX_SHOWN = 20_000;
/** Characters that come at once if they are pasted, not typed. */
const MIN_PASTED = 10;

export interface BoxRow extends PlainRow {
  /** Returns the server to add; undefined when the row leads elsewhere, or the person cancelled. Absent: nothing can be done. */
  readonly act?: () => Promise<ServerDraft | undefined>;
}

interface BoxServices {
  readonly several: (drafts: ServerDraft[]) => Promise<void>;
  readonly bundles: Pick<BundleSetup, 'choose'>;
  /** Opens the page *Browse Servers* with a search. Undefined: no registry is searched. */
  readonly browse: ((query: string) => Promise<void>) | undefined;
  /** Rows of the empty box, besides *Browse Servers*. */
  readonly others: readonly BoxRow[];
}

/** The pasted text with its line breaks, which a box of one line drops and TOML, YAML and comments need. A browser would ask the person first. */
async function copiedLines(value: string): Promise<string | undefined> {
  if (!RUNS_PROGRAMS) return undefined;
  const copied = await vscode.env.clipboard.readText();
  const words = (text: string) => text.replace(/\s+/g, '');
  return copied.includes('\n') && words(copied) === words(value) ? copied : undefined;
}

/**
 * The one box into which a person types or pastes whatever they have of a server. Its rows say what would be done with it, the
 * likeliest first. Nothing is run from here, and only the card of a server at an address is fetched.
 */
export class SmartBox {
  #text: string;
  #isChosen: boolean;

  /** @param text at first. @param isChosen whether it was chosen, as by a selection: one meaning is done at once. */
  constructor(
    private readonly services: BoxServices,
    text = '',
    isChosen = false,
  ) {
    this.#text = text;
    this.#isChosen = isChosen;
  }

  /** Asks for a server. Called again, the box has what was in it. */
  async ask(): Promise<ServerDraft | undefined> {
    const [only, ...more] = this.#isChosen ? this.#meant() : [];
    this.#isChosen = false;
    const row = only?.act && more.length === 0 ? only : await this.#choose();
    return row?.act?.();
  }

  #choose(): Promise<BoxRow | undefined> {
    const pick = window.createQuickPick<BoxRow>();
    pick.title = t('Add MCP Server');
    pick.placeholder = t('URL, command line, JSON, package or name');
    pick.ignoreFocusOut = true;
    const shown = this.#text
      .trim()
      .replace(/(?<!\s)\s*\n\s*/g, ' ')
      .slice(0, MAX_SHOWN);
    pick.value = shown;
    /** A value of the box, and the text with line breaks that it stands for. */
    let known = { value: shown, text: this.#text };
    let length = shown.length;
    let rows: readonly BoxRow[] = [];
    const show = () => {
      this.#text = pick.value === known.value ? known.text : pick.value;
      rows = this.#rows();
      pick.items = rows;
      // The editor sorts rows by how well they match, which says nothing here.
      pick.activeItems = rows.slice(0, 1);
    };
    show();
    return answerIn<BoxRow>(pick, end => {
      pick.onDidChangeValue(async value => {
        show();
        const isPasted = value.length - length >= MIN_PASTED;
        length = value.length;
        const copied = isPasted ? await copiedLines(value) : undefined;
        if (copied === undefined || pick.value !== value) return;
        known = { value, text: copied };
        show();
      });
      pick.onDidAccept(() => {
        // Enter may come before the rows for what was just pasted.
        if (pick.value !== known.value && pick.value !== this.#text) show();
        const [selected] = pick.selectedItems;
        const row = rows.find(each => each === selected) ?? rows[0];
        if (row?.act) end(row);
      });
    });
  }

  #rows(): readonly BoxRow[] {
    const { browse, others } = this.services;
    const ways = browse ? [browseRow(browse, ''), ...others] : others;
    const typed = this.#text.trim().toLowerCase();
    if (typed === '') return ways;
    // Somebody who types the name of a row wants that row.
    const named = ways.filter(({ label }) => typed.length > 2 && label.toLowerCase().startsWith(typed));
    const rows = [...named, ...this.#meant()];
    if (rows.length === 0) rows.push({ label: t('Enter an address that starts with https:// or http://.') });
    return rows.map(row => ({ ...row, alwaysShow: true }));
  }

  #meant(): readonly BoxRow[] {
    return meaningsOf(this.#text).flatMap((meaning, index) => this.#rowOf(meaning, index === 0) ?? []);
  }

  #rowOf(meaning: Meaning, isFirst: boolean): BoxRow | undefined {
    const { browse, bundles, several } = this.services;
    switch (meaning.kind) {
      case 'unreadable':
        return { iconPath: themeIcon('info'), label: rowText(localized(meaning.why), 300) };
      case 'registry':
        if (browse) return browseRow(browse, meaning.query);
        // Enter must not lead to the row below it, which is a guess.
        return isFirst ? { iconPath: themeIcon('info'), label: t('There is no registry to search in.') } : undefined;
      case 'bundle':
        return {
          iconPath: themeIcon('archive'),
          label: t('Install an MCP bundle'),
          description: rowText(meaning.place, 120),
          ...(RUNS_PROGRAMS
            ? {
                detail: t('Nothing of it runs before you have seen what it is'),
                act: () => bundles.choose({ place: meaning.place }),
              }
            : { detail: inWebText() }),
        };
      case 'several':
        return {
          iconPath: themeIcon('list-selection'),
          label: t('Add {0} servers…', meaning.drafts.length),
          description: rowText(meaning.drafts.map(({ name }) => name).join(', '), 120),
          detail: t('As described in this text'),
          act: async () => void (await several(meaning.drafts.map(withInputs))),
        };
      default:
        return draftRow(meaning);
    }
  }
}

const inWebText = () => t('Web windows cannot run programs. Add it in a desktop window.');

/** Asks for what a README, or an entry of a registry, leaves to the person. */
export const withInputs = (draft: ServerDraft) => askForMissing(draft, name => process.env[name] !== undefined);

const browseRow = (browse: NonNullable<BoxServices['browse']>, query: string): BoxRow => ({
  iconPath: themeIcon('extensions'),
  // The editor puts rows first whose label ends with what was typed.
  label: query === '' ? t('Browse Servers') : t('Browse Servers: {0}', visible(query, 120)),
  detail: t('Search published servers by name'),
  act: async () => void (await browse(query)),
});

const KINDS: Record<DraftKind, { icon: string; text: () => BoxRow['detail'] }> = {
  url: { icon: 'globe', text: () => t('A remote server, over HTTP') },
  command: { icon: 'terminal', text: () => t('A program on this machine, as you would start it in a terminal') },
  npm: { icon: 'package', text: () => t('npm package, run by npx') },
  python: { icon: 'package', text: () => t('Python package, run by uvx') },
  image: { icon: 'vm', text: () => t('Container image, run by Docker') },
  json: { icon: 'json', text: () => t('As described in this text') },
  link: { icon: 'link', text: () => t('As described in this link') },
};

function draftRow(meaning: Extract<Meaning, { kind: DraftKind }>): BoxRow {
  const kind = KINDS[meaning.kind];
  const draft = withInputs(meaning.draft);
  const row = { label: t('Add "{0}"', draft.name), description: rowText(launchLineOf(draft.entry), 120) };
  if (!RUNS_PROGRAMS && draft.entry.command !== undefined)
    return { ...row, iconPath: themeIcon('circle-slash'), detail: inWebText() };
  return {
    ...row,
    iconPath: themeIcon(kind.icon),
    detail: joined([kind.text(), rowText(notesOf(draft).join(' · '), 200)], ' · '),
    act: async () => (meaning.kind === 'url' ? withCard(meaning.draft) : draft),
  };
}

/** The draft with what the server at an address says; the person chooses among several ways or addresses. */
async function withCard(draft: ServerDraft): Promise<ServerDraft | undefined> {
  const address = draft.entry.url;
  const isOn = settingValue('experimental.serverCards') !== false;
  if (!isOn || typeof address !== 'string') return withInputs(draft);
  const location = vscode.ProgressLocation.Window;
  const asking = { location, title: t('Asking {0} for its server card', visible(address, 100)) };
  const choices = cardChoices(await window.withProgress(asking, () => findServerCards(address)));
  const [first, ...more] = choices;
  if (!first || (more.length === 0 && first.address === address)) return withInputs(first?.draft ?? draft);
  const items = [
    ...choices.map(choice => ({
      iconPath: themeIcon('globe'),
      label: rowText(choice.server.title ?? choice.server.name, 80),
      description: rowText(choice.address, 150),
      detail: rowText(choice.server.description, 200),
      draft: choice.draft,
    })),
    { iconPath: themeIcon('edit'), label: t('As you entered it'), description: rowText(address, 150), draft },
  ];
  const placeHolder = t('The site describes these servers. Which do you want to add?');
  const chosen = await window.showQuickPick(items, {
    title: t('Add MCP Server'),
    placeHolder,
    ignoreFocusOut: true,
  });
  return chosen && withInputs(chosen.draft);
}
