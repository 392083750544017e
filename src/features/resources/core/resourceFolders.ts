import { percentDecoded } from '../../../base/text';

/** The parts of a resource that the tree needs. Everything else of `T` is carried along. */
export interface PlacedResource {
  readonly uri: string;
  readonly name: string;
  readonly title?: string | undefined;
}

/** A folder of resources. Its children are in the order in which they are shown: `folders` first, then `resources`. */
export interface Folder<T extends PlacedResource> {
  /** Parts of URIs, decoded for people; `a/b` when folder a holds nothing but folder b. */
  readonly label: string;
  readonly folders: readonly Folder<T>[];
  readonly resources: readonly T[];
}

/** A folder with more resources than this is shown in parts: the editor builds all children of a row at once. */
const MAX_RESOURCES = 1_000;

/**
 * Arranges resources by scheme and authority (when there are several), then by the segments of their paths. What follows `://` in
 * `config://app` is the name of a resource, unless others have a path behind it. Nothing is dropped or merged: two resources of
 * one name, or of one URI, both stay. Fast enough for 100,000 resources, for a folder sorts its children only when they are asked
 * for.
 */
export function folderTree<T extends PlacedResource>(resources: readonly T[]): Folder<T> {
  const root = new Branch<T>('');
  const places = resources.map(({ uri }) => placeOf(uri));
  const withPaths = new Set(places.flatMap(({ origin, hasPath }) => (hasPath ? [origin] : [])));
  for (const [index, { origin, segments }] of places.entries()) {
    let branch = root.child(withPaths.has(origin) ? origin : origin.replace(/(?<=:\/\/).*/s, ''));
    for (const segment of segments) branch = branch.child(segment);
    branch.leaves.push(resources[index]!);
  }
  const [only, ...others] = root.children.values();
  return new LazyFolder('', only && others.length === 0 ? only : root);
}

/** A folder while it is filled. */
class Branch<T extends PlacedResource> {
  readonly children = new Map<string, Branch<T>>();
  readonly leaves: T[] = [];

  constructor(readonly segment: string) {}

  child(segment: string): Branch<T> {
    let child = this.children.get(segment);
    if (!child) {
      child = new Branch(segment);
      this.children.set(segment, child);
    }
    return child;
  }
}

class LazyFolder<T extends PlacedResource> implements Folder<T> {
  #folders: readonly Folder<T>[] | undefined;
  #resources: readonly T[] | undefined;

  constructor(
    readonly label: string,
    private readonly branch: Branch<T>,
  ) {}

  get folders(): readonly Folder<T>[] {
    if (!this.#folders) {
      const folders = [...this.branch.children.values()].map(child => compacted(child));
      const byLabel = naturalSort(folders, ({ label }) => label);
      this.#folders = this.branch.leaves.length > MAX_RESOURCES ? [...byLabel, ...parts(this.#sorted)] : byLabel;
    }
    return this.#folders;
  }

  get resources(): readonly T[] {
    this.#resources ??= this.branch.leaves.length > MAX_RESOURCES ? [] : this.#sorted;
    return this.#resources;
  }

  get #sorted(): readonly T[] {
    return naturalSort(this.branch.leaves, labelOf);
  }
}

/** The label of a resource in the tree. */
export function labelOf({ title, name, uri }: PlacedResource): string {
  return title || name || uri;
}

/** A folder with nothing but one folder in it is shown as one row with it, as in the explorer. */
function compacted<T extends PlacedResource>(branch: Branch<T>): Folder<T> {
  let label = percentDecoded(branch.segment);
  let end = branch;
  while (end.leaves.length === 0 && end.children.size === 1) {
    end = end.children.values().next().value!;
    label += `/${percentDecoded(end.segment)}`;
  }
  return new LazyFolder(label, end);
}

function parts<T extends PlacedResource>(sorted: readonly T[]): Folder<T>[] {
  const folders: Folder<T>[] = [];
  for (let start = 0; start < sorted.length; start += MAX_RESOURCES) {
    const resources = sorted.slice(start, start + MAX_RESOURCES);
    folders.push({ label: `${labelOf(resources[0]!)} … ${labelOf(resources.at(-1)!)}`, folders: [], resources });
  }
  return folders;
}

interface Place {
  /** `file://`, `demo://resource`, `memo:`; empty when the URI has no scheme. */
  origin: string;
  /** Folders from the top, without the resource's own segment. */
  segments: readonly string[];
  hasPath: boolean;
}

/** Any text has a place: URIs, Windows paths, and what is neither. */
function placeOf(uri: string): Place {
  const isWindows = /^[A-Za-z]:(\\|\/(?!\/))/.test(uri);
  const origin = isWindows ? '' : (/^[A-Za-z][\w+.-]*:(?:\/\/[^/?#]*)?/.exec(uri)?.[0] ?? '');
  const [path = ''] = uri.slice(origin.length).split(/[?#]/, 1);
  const segments = path.split(isWindows ? /[\\/]/ : '/').filter(segment => segment !== '');
  const hasPath = segments.pop() !== undefined;
  return { origin, segments, hasPath };
}

/** Sorts like the explorer: without regard to case, `note 2` before `note 10`. Keys are made once; plain comparison is fast. */
function naturalSort<T>(items: readonly T[], label: (item: T) => string): readonly T[] {
  return items
    .map(item => ({ item, key: sortKey(label(item)) }))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ item }) => item);
}

function sortKey(label: string): string {
  const folded = label.slice(0, 300).toLowerCase().normalize('NFD');
  return folded.replace(/\d+/g, digits => digits.padStart(20, '0'));
}
