// Prints the layers of src as they follow from the imports: `npm run generate` puts them into ARCHITECTURE.md.
import { files, imports, roomOf } from './imports.mjs';

const WIDTH = 96;

/** As `roomOf`, with src/host as one. */
const folderOf = file => roomOf(file).replace(/^host\/.*/, 'host');
/** The folder below src/host that a file is in; the file itself where it is beside these folders. */
const hostFolderOf = file => /^host\/([^/]+)\//.exec(file)?.[1] ?? /^host\/([^/]+)$/.exec(file)?.[1].concat('.ts');

for (const layer of layers(folderOf)) {
  const rooms = layer.flat();
  const features = rooms.filter(room => room.startsWith('features/'));
  const others = rooms.filter(room => !features.includes(room)).map(room => (room === 'src' ? '*.ts' : room));
  const named = features.map(room => room.slice('features/'.length)).join(' ');
  print([...others, ...(named ? [`features: ${named}`] : [])].join(' · '));
  if (rooms.includes('host'))
    for (const circles of layers(hostFolderOf))
      print(circles.map(circle => (circle.length > 1 ? `[${circle.join(' ')}]` : circle[0])).join(' '), '  │ ');
}

/**
 * The folders from top to bottom: each imports only from folders below its layer, or of its circle.
 * @returns per layer, its circles: folders that import each other stand together, all others alone.
 */
function layers(folderOf) {
  const uses = new Map();
  for (const file of files) {
    const folder = folderOf(file);
    if (folder === undefined) continue;
    const own = uses.get(folder) ?? uses.set(folder, new Set()).get(folder);
    for (const to of imports.get(file).map(folderOf)) if (to !== undefined && to !== folder) own.add(to);
  }
  const folders = [...uses.keys()].sort();
  const below = new Map(folders.map(folder => [folder, reached(folder, uses)]));
  const circleOf = folder =>
    folders.filter(other => other === folder || (below.get(folder).has(other) && below.get(other).has(folder)));
  const heights = new Map();
  const heightOf = folder => {
    const circle = circleOf(folder);
    const lower = [...below.get(folder)].filter(other => !circle.includes(other));
    if (!heights.has(folder)) heights.set(folder, Math.max(0, ...lower.map(other => heightOf(other) + 1)));
    return heights.get(folder);
  };
  const circles = folders.map(circleOf).filter(([first], at) => first === folders[at]);
  const byHeight = Map.groupBy(circles, ([first]) => heightOf(first));
  return [...byHeight].sort(([a], [b]) => b - a).map(([, layer]) => layer);
}

/** All that can be reached from a node, without itself unless it is in a circle. */
function reached(node, next, found = new Set()) {
  for (const to of next.get(node) ?? [])
    if (!found.has(to)) {
      found.add(to);
      reached(to, next, found);
    }
  return found;
}

/** In lines of bounded width; those that go on are indented. */
function print(text, margin = '') {
  let line = margin;
  for (const word of text.split(' ')) {
    if (line.length + word.length > WIDTH) {
      console.log(line.trimEnd());
      line = `${margin}  `;
    }
    line += `${word} `;
  }
  console.log(line.trimEnd());
}
