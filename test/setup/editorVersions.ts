// The versions of VS Code that the tests run in: the oldest that the extension supports, some between, and the newest.

export interface EditorVersion {
  version: string;
  /** The Node that the VS Code server from npm runs with: about what the desktop brings. Default: that of the repository. */
  node?: string;
}

export const editorVersions: readonly EditorVersion[] = [
  { version: '1.103.2', node: '22.17.0' },
  { version: '1.108.2', node: '22.21.1' },
  { version: '1.117.0', node: '22.22.1' },
  { version: '1.139.1' },
];

/** `1.103` of `1.103.2`. */
export const minorOf = (version: string): string => version.split('.').slice(0, 2).join('.');

export const versionNames = editorVersions.map(({ version }) => minorOf(version)).join(', ');

/** @param wanted such as `1.103`; undefined: none of the above. */
export const editorVersion = (wanted: string): EditorVersion | undefined =>
  editorVersions.find(({ version }) => version === wanted || minorOf(version) === wanted);

/** The one of `VSCODE_VERSION`; the newest without it. */
export function wantedEditor(): EditorVersion | undefined {
  const { VSCODE_VERSION = 'stable' } = process.env;
  return VSCODE_VERSION === 'stable' ? editorVersions.at(-1) : editorVersion(VSCODE_VERSION);
}

export const isNewest = (editor: EditorVersion): boolean => editor === editorVersions.at(-1);
