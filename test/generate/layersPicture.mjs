// Prints the layers of src as they follow from the imports: `npm run generate` puts them into ARCHITECTURE.md.
import { files, imports, roomOf } from '../lint/imports.mjs';

const WIDTH = 96;

/** As `roomOf`, with src/host as one. */
const folderOf = file => roomOf(file).replace(/^host\/.*/, 'host');
/** The folder below src/host that a file is in; the file itself where it is beside these folders. */
const hostFolderOf = file => {
  const [, name, isFolder] = /^host\/([^/]+)(\/)?/.exec(file) ?? [];
  return isFolder ? name : name === undefined || name === 'index' ? undefined : `${name}.ts`;
};

for (const rooms of layers(folderOf)) {
  const features = rooms.filter(room => room.startsWith('features/'));
  const others = rooms.filter(room => !features.includes(room)).map(room => (room === 'src' ? '*.ts' : room));
  const named = features.map(room => room.slice('features/'.length)).join(' ');
  print([...others, ...(named ? [`features: ${named}`] : [])].join(' · '));
  if (rooms.includes('host')) for (const inside of layers(hostFolderOf)) print(inside.join(' '), '  │ ');
}

/** The folders from top to bottom, by layer: each imports only from layers below its own, as none are in a circle. */
function layers(folderOf) {
  const uses = new Map();
  for (const file of files) {
    const folder = folderOf(file);
    if (folder === undefined) continue;
    const own = uses.get(folder) ?? uses.set(folder, new Set()).get(folder);
    for (const to of imports.get(file).map(folderOf)) if (to !== undefined && to !== folder) own.add(to);
  }
  const heightOf = folder => Math.max(0, ...[...uses.get(folder)].map(other => heightOf(other) + 1));
  const byHeight = Map.groupBy([...uses.keys()].sort(), heightOf);
  return [...byHeight].sort(([a], [b]) => b - a).map(([, layer]) => layer);
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
