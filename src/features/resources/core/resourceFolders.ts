import { normalized } from '../../../base/normalized';
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

/** Folders within folders; what is deeper in an address stands in the last of them. */
const MAX_LEVELS = 64;
/** A folder with more resources than this is shown in parts: the editor builds all children of a row at once. */
const MAX_RESOURCES = 1_000;

/**
 * Arranges resources by scheme and authority (when there are several), then by the segments of their paths. What follows `://` in
 * `config://app` is the name of a resource, unless others have a path behind it. Nothing is dropped or merged: two resources of
 * one name, or of one URI, both stay. Fast enough for 100,000 resources, for a folder sorts its children only when they are asked
 * for.
 */
export function folderTree<T extends PlacedResource>(resources: readonly T[]): Folder<T> {
  const places = resources.map(resource => ({ resource, ...placeOf(resource.uri) }));
  const withPaths = new Set(places.flatMap(({ origin, hasPath }) => (hasPath ? [origin] : [])));
  const top = new Level(
    places.map(({ resource, origin, segments }) => {
      const first = withPaths.has(origin) ? origin : origin.replace(/(?<=:\/\/).*/s, '');
      return { resource, segments: [first, ...segments] };
    }),
    0,
  );
  const { only } = top;
  return new LazyFolder('', only ?? top);
}

/** A resource with the names of the folders that it is in, from the top. */
interface PlaceInTree<T extends PlacedResource> {
  readonly resource: T;
  readonly segments: readonly string[];
}

/** Resources that are in the same folders down to a depth. What is below is looked at when it is asked for. */
class Level<T extends PlacedResource> {
  #split: { readonly folders: ReadonlyMap<string, Level<T>>; readonly leaves: readonly T[] } | undefined;

  constructor(
    private readonly placed: readonly PlaceInTree<T>[],
    private readonly depth: number,
  ) {}

  get folders(): ReadonlyMap<string, Level<T>> {
    return this.#parts.folders;
  }

  get leaves(): readonly T[] {
    return this.#parts.leaves;
  }

  /** The folder, if there is nothing else. */
  get only(): Level<T> | undefined {
    const { folders, leaves } = this.#parts;
    return leaves.length === 0 && folders.size === 1 ? folders.values().next().value : undefined;
  }

  get #parts() {
    this.#split ??= this.#take();
    return this.#split;
  }

  #take() {
    const within = new Map<string, PlaceInTree<T>[]>();
    const leaves: T[] = [];
    for (const one of this.placed) {
      const segment = one.segments[this.depth];
      const others = segment === undefined ? undefined : within.get(segment);
      if (segment === undefined) leaves.push(one.resource);
      else if (others) others.push(one);
      else within.set(segment, [one]);
    }
    const folders = new Map([...within].map(([name, placed]) => [name, new Level(placed, this.depth + 1)] as const));
    return { folders, leaves };
  }
}

class LazyFolder<T extends PlacedResource> implements Folder<T> {
  #folders: readonly Folder<T>[] | undefined;
  #resources: readonly T[] | undefined;

  constructor(
    readonly label: string,
    private readonly level: Level<T>,
  ) {}

  get folders(): readonly Folder<T>[] {
    if (!this.#folders) {
      const folders = [...this.level.folders].map(([name, inner]) => compacted(name, inner));
      const byLabel = naturalSort(folders, ({ label }) => label);
      this.#folders = this.level.leaves.length > MAX_RESOURCES ? [...byLabel, ...parts(this.#sorted)] : byLabel;
    }
    return this.#folders;
  }

  get resources(): readonly T[] {
    this.#resources ??= this.level.leaves.length > MAX_RESOURCES ? [] : this.#sorted;
    return this.#resources;
  }

  get #sorted(): readonly T[] {
    return naturalSort(this.level.leaves, labelOf);
  }
}

export function labelOf({ title, name, uri }: PlacedResource): string {
  return title || name || uri;
}

/** A folder with nothing but one folder in it is shown as one row with it, as in the explorer. */
function compacted<T extends PlacedResource>(name: string, level: Level<T>): Folder<T> {
  const names = [name];
  let end = level;
  for (let { only } = end; only; { only } = end) {
    names.push(...end.folders.keys());
    end = only;
  }
  return new LazyFolder(names.map(percentDecoded).join('/'), end);
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
  // One more, which is the resource's own where there are no others.
  const segments = path
    .split(isWindows ? /[\\/]/ : '/', 2 * MAX_LEVELS)
    .filter(segment => segment !== '')
    .slice(0, MAX_LEVELS + 1);
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
  const folded = normalized(label.slice(0, 300).toLowerCase(), 'NFD');
  return folded.replace(/\d+/g, digits => digits.padStart(20, '0'));
}
