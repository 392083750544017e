// Whose code the bundles have in them (README.md): for ThirdPartyNotices.txt, and for the bill of materials of a release.
const fs = require('node:fs');
const path = require('node:path');

const root = path.dirname(__dirname);

/** What may ship in an extension under the MIT licence, with nothing to do but to name it and to add its text. */
const LICENCES = new Set(['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT']);
const TEXT = /^(licen[cs]e|notice|copying|third.?party.?(notices?|licen[cs]es?))([.-].*)?$/i;
const PACKAGE = /^.*node_modules\/((?:@[^/]+\/)?[^/]+)/;
/** Where a bundler copied a module of another package: its folder in pnpm's store, and its name. */
const COPIED =
  /^\/\/#region .*?node_modules\/(?:\.pnpm\/[^/]*?@([\d.]+[^/_(]*)[^/]*\/node_modules\/)?((?:@[^/]+\/)?[^/\s]+)/gm;

/**
 * The packages in esbuild's outputs, by name. Paths in `metafiles` are relative to the repository.
 * @returns {{name: string, version: string, licence: string, url: string, text: string}[]}
 * @throws Error naming the package that has no licence text, or a licence that is not allowed.
 */
function bundledPackages(metafiles) {
  const found = new Map();
  const outputs = metafiles.flatMap(metafile => Object.values(metafile.outputs));
  for (const file of new Set(outputs.flatMap(({ inputs }) => Object.keys(inputs).filter(hasBytes(inputs))))) {
    const [folder, name] = PACKAGE.exec(file) ?? [];
    if (!folder) continue;
    add(found, describe(name, path.resolve(root, folder)));
    const [whole] = file.split('?'); // what follows names a part (build/graph.js)
    for (const [, version, copied] of fs.readFileSync(path.resolve(root, whole), 'utf8').matchAll(COPIED))
      add(found, describe(copied, path.join(root, 'node_modules', copied), version));
  }
  return [...found.values()].sort((a, b) => (`${a.name} ${a.version}` < `${b.name} ${b.version}` ? -1 : 1));
}

const hasBytes = inputs => file => inputs[file].bytesInOutput > 0;
const add = (found, one) => found.set(`${one.name}@${one.version}`, one);

/** `version` is that of a copy: the package itself may be installed in another one, or not at all. */
function describe(name, folder, version) {
  const kept = path.join(__dirname, `${name.replace('/', '+')}.txt`);
  const texts = fs.existsSync(folder)
    ? fs
        .readdirSync(folder)
        .filter(file => TEXT.test(file))
        .sort()
    : [];
  const files = texts.length > 0 ? texts.map(file => path.join(folder, file)) : [kept].filter(fs.existsSync);
  if (files.length === 0) throw new Error(`${name}: there is no licence text. See notices/README.md.`);
  const manifest = fs.existsSync(folder) ? JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8')) : {};
  const text = files.map(file => fs.readFileSync(file, 'utf8').replaceAll('\r\n', '\n').trim()).join('\n\n');
  const licence = manifest.license ?? (/^(The )?MIT License/.test(text) ? 'MIT' : 'unknown');
  if (!LICENCES.has(licence)) throw new Error(`${name}: "${licence}" is not allowed. See notices/README.md.`);
  return { name, version: version ?? manifest.version, licence, url: sourceOf(manifest), text };
}

/** Where a package's sources are, if that is on GitHub, where all are so far. */
function sourceOf({ repository }) {
  const [, project] =
    /(?:github\.com[/:]|^)([\w.-]+\/[\w.-]+?)(?:\.git)?$/.exec(repository?.url ?? repository ?? '') ?? [];
  return project ? `https://github.com/${project}` : '';
}

/** ThirdPartyNotices.txt. Packages with the same text share it. */
function notices(packages) {
  const texts = [...new Set(packages.map(({ text }) => text))];
  const parts = texts.map(text => [...packages.filter(one => one.text === text).map(title), '', text].join('\n'));
  const head = 'MCP Host includes code of the packages below, each under the licence that follows its name.';
  return `${[head, ...parts].join(`\n\n${'='.repeat(80)}\n\n`)}\n`;
}

const title = ({ name, version, licence, url }) => `${name} ${version} (${licence})${url && `, ${url}`}`;

/** A CycloneDX bill of materials of what ships, as JSON. */
function billOfMaterials(packages, { name, version, license }) {
  const component = (type, purlName, itsVersion, id) => ({
    type,
    'bom-ref': `pkg:npm/${purlName}@${itsVersion}`,
    name: decodeURIComponent(purlName),
    version: itsVersion,
    purl: `pkg:npm/${purlName}@${itsVersion}`,
    licenses: [{ license: { id } }],
  });
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: component('application', name, version, license) },
    components: packages.map(one => component('library', one.name.replace('@', '%40'), one.version, one.licence)),
  };
}

module.exports = { bundledPackages, notices, billOfMaterials };
