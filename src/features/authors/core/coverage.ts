import type { Catalog } from '../../../host';

const KINDS = ['tools', 'prompts', 'resources'] as const;
type CoveredKind = (typeof KINDS)[number];

/** How much of one list the tests used. */
interface CoveredList {
  readonly used: readonly string[];
  /** Listed, and not used. */
  readonly unused: readonly string[];
}

export type CoverageSummary = Readonly<Record<CoveredKind, CoveredList>>;

/** Which tools, prompts and listed resources of a server its tests use. */
export class Coverage {
  readonly #listed = sets();
  readonly #used = sets();

  listed(catalog: Pick<Catalog, CoveredKind>): void {
    for (const { name } of catalog.tools) this.#listed.tools.add(name);
    for (const { name } of catalog.prompts) this.#listed.prompts.add(name);
    for (const { uri } of catalog.resources) this.#listed.resources.add(uri);
  }

  /** @param key name of the tool or prompt, URI of the resource. */
  used(kind: CoveredKind, key: string): void {
    this.#used[kind].add(key);
  }

  get summary(): CoverageSummary {
    const summary = (kind: CoveredKind): CoveredList => {
      const [listed, used] = [this.#listed[kind], this.#used[kind]];
      return { used: [...listed].filter(key => used.has(key)), unused: [...listed].filter(key => !used.has(key)) };
    };
    return { tools: summary('tools'), prompts: summary('prompts'), resources: summary('resources') };
  }
}

const sets = (): Record<CoveredKind, Set<string>> => ({ tools: new Set(), prompts: new Set(), resources: new Set() });
