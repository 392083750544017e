import { type DraftEntry, fitName, type ServerDraft } from './serverDraft';
import { nameOfPackage, nameOfServer } from './serverNames';

/** A package of npm (`name` or `name@version`), run by `npx`. */
export function npmDraft(specifier: string): ServerDraft {
  return draftOf({ command: 'npx', args: ['-y', specifier] }, nameOfPackage(specifier));
}

/** A Python package (`name`, `name@version` or `name==version`), run by `uvx`. */
export function pythonDraft(specifier: string): ServerDraft {
  return draftOf({ command: 'uvx', args: [specifier.replace(/==(?=[\w.]+$)/, '@')] }, nameOfPackage(specifier));
}

/** A container image, run by Docker. It talks over stdin, which `-i` keeps open. */
export function imageDraft(image: string): ServerDraft {
  return draftOf({ command: 'docker', args: ['run', '-i', '--rm', image] }, nameOfPackage(image));
}

/** A server at an address. One that speaks only the older HTTP+SSE is found out when it is connected. */
export function addressDraft(url: string): ServerDraft {
  return draftOf({ type: 'http', url });
}

export function draftOf(entry: DraftEntry, name = nameOfServer(entry)): ServerDraft {
  return { name: fitName(name), entry, inputs: [], values: new Map(), notes: [] };
}
