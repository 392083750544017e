import { readBounded } from '../../../base/files';
import { matches, visible } from '../../../base/text';
import type { Catalog } from '../../../host/catalog';
import { MAX_SNAPSHOT, readSnapshot } from './interfaceSnapshot';
import { readSource, type TextPlace } from './sourceText';

const KINDS = ['tools', 'prompts', 'resourceTemplates', 'resources'] as const;
type CoveredKind = (typeof KINDS)[number];

interface CoveredList {
  readonly used: readonly string[];
  /** Listed, and not used. */
  readonly unused: readonly string[];
  readonly times: ReadonlyMap<string, number>;
}

export type CoverageSummary = Readonly<Record<CoveredKind, CoveredList>>;

/** So many addresses are compared with templates: a server can list hundreds of thousands of both. */
const MAX_COMPARED = 2_000_000;

/** Which tools, prompts, templates and other listed resources of a server its tests use. */
export class Coverage {
  readonly #listed = byKind(() => new Set<string>());
  readonly #times = byKind(() => new Map<string, number>());
  readonly #reads: string[] = [];

  listed(catalog: Pick<Catalog, CoveredKind>): void {
    for (const { name } of catalog.tools) this.#listed.tools.add(name);
    for (const { name } of catalog.prompts) this.#listed.prompts.add(name);
    for (const { uriTemplate } of catalog.resourceTemplates) this.#listed.resourceTemplates.add(uriTemplate);
    for (const { uri } of catalog.resources) this.#listed.resources.add(uri);
  }

  /** @param key name of the tool or prompt, URI of the resource, URI template. */
  used(kind: CoveredKind, key: string, times = 1): void {
    this.#times[kind].set(key, (this.#times[kind].get(key) ?? 0) + times);
  }

  /** A resource was read: by its own URI, or by one that a template makes. */
  read(uri: string): void {
    this.used('resources', uri);
    this.#reads.push(uri);
  }

  /** What other tests of the same server covered counts too. */
  add(other: CoverageSummary): void {
    for (const kind of KINDS) {
      for (const key of [...other[kind].used, ...other[kind].unused]) this.#listed[kind].add(key);
      for (const [key, times] of other[kind].times) this.used(kind, key, times);
    }
  }

  get summary(): CoverageSummary {
    let left = MAX_COMPARED;
    const isMade = (pattern: string, uri: string) => left-- > 0 && matches(pattern, uri);
    const patterns = [...this.#listed.resourceTemplates].map(patternOf);
    return byKind(kind => {
      const reads = kind === 'resourceTemplates' ? this.#reads : [];
      const readsOf = (pattern: string) => reads.filter(uri => isMade(pattern, uri)).length;
      const timesOf = (key: string) =>
        (this.#times[kind].get(key) ?? 0) + (reads.length > 0 ? readsOf(patternOf(key)) : 0);
      // What a template makes is data: the template is what is to be used.
      const isOwn = (key: string) =>
        kind !== 'resources' || left <= 0 || !patterns.some(pattern => isMade(pattern, key));
      const times = new Map([...this.#listed[kind]].filter(isOwn).map(key => [key, timesOf(key)]));
      const which = (isUsed: boolean) => [...times.keys()].filter(key => times.get(key)! > 0 === isUsed);
      return { used: which(true), unused: which(false), times };
    });
  }
}

/** For URIs that have what stands outside of the braces of a template, in its order. */
const patternOf = (template: string) => template.replace(/\{[^{}]*\}/g, '*');

const byKind = <T>(make: (kind: CoveredKind) => T): Record<CoveredKind, T> => ({
  tools: make('tools'),
  prompts: make('prompts'),
  resourceTemplates: make('resourceTemplates'),
  resources: make('resources'),
});

/** One thing that a server offers, at its line, with how often tests used it. */
export interface CoverageMark {
  readonly name: string;
  readonly place: TextPlace;
  readonly times: number;
}

interface CoverageMarks {
  /** What the snapshot has. */
  readonly snapshot: readonly CoverageMark[];
  /** A list of the rest, such as resources, which no snapshot has. */
  readonly listing?: { readonly text: string; readonly marks: readonly CoverageMark[] };
}

/** A line for all that was listed, in the snapshot or in a list made for it; none for what is no longer offered. */
export function marksOf(summary: CoverageSummary, snapshot: string | undefined): CoverageMarks {
  const kept = snapshot === undefined ? undefined : readSnapshot(snapshot);
  const source = kept && !('text' in kept) ? readSource(snapshot!, 'json', Number.POSITIVE_INFINITY) : undefined;
  const value = source?.value as Partial<Record<CoveredKind, object>> | undefined;
  const found: CoverageMark[] = [];
  const lines: string[] = [];
  const listed: CoverageMark[] = [];
  for (const kind of KINDS) {
    const rest: string[] = [];
    const { used, unused, times } = summary[kind];
    const markOf = (key: string, place: TextPlace): CoverageMark => ({
      name: `${kind}/${visible(key, 200)}`,
      place,
      times: times.get(key)!,
    });
    for (const key of [...used, ...unused].sort()) {
      if (Object.hasOwn(value?.[kind] ?? {}, key)) found.push(markOf(key, source!.at([kind, key], true)));
      else rest.push(key);
    }
    if (rest.length === 0) continue;
    if (lines.length > 0) lines.push(`${lines.pop()},`);
    lines.push(`  "${kind}": [`);
    for (const [index, key] of rest.entries()) {
      // Its line in the text: that of the first brace comes before.
      listed.push(markOf(key, { line: lines.length + 1, column: 4 }));
      lines.push(`    ${JSON.stringify(key)}${index < rest.length - 1 ? ',' : ''}`);
    }
    lines.push('  ]');
  }
  if (listed.length === 0) return { snapshot: found };
  return { snapshot: found, listing: { text: ['{', ...lines, '}', ''].join('\n'), marks: listed } };
}

/** Where coverage is shown. @param path of the snapshot, which need not be there. */
export async function coverageMarks(summary: CoverageSummary, path: string): Promise<CoverageMarks> {
  return marksOf(summary, await readBounded(path, MAX_SNAPSHOT).catch(() => undefined));
}
