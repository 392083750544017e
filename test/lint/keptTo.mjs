// What only these files of src may name, and where the rest of the code finds it. Comments do not count.
// Tables of what is proved name a rule by its id: `lint: markdown` (test/conformance/provedTables.ts).

/** Names that say nothing of what they are about. */
const PARTICIPLES = 'told|found|known|held|kept|shown|chosen|hidden|given|made|sent|written|asked|tried';

const NOWHERE = { test: () => false };

/** Files by path below src, with what makes them right. A rule that one of them no longer needs fails, too. */
function exactly(reasons) {
  const names = new Set(Object.keys(reasons));
  return { test: file => names.has(file), names };
}

/** What reads files, or opens them, other than base/files does. */
const FS_READS = /\b(?:readFile|readFileSync|createReadStream|open|openSync|openAsBlob|readlines|createInterface)\b/;
const FS_WRITES = /\b(?:writeFile|appendFile|copyFile|rename|cp|createWriteStream|symlink|link)(?:Sync)?\b/;
/** Takes one of these names from Node's modules for files, or all of a module. */
const takes = names =>
  new RegExp(
    `\\bimport\\s+(?:[^;]*?(?:${names.source})[^;]*?|\\* as \\w+)\\s+from\\s+'(?:node:)?(?:fs|fs/promises|readline)'|require\\('(?:node:)?fs`,
  );

export const KEPT_TO = [
  {
    name: /^(?:export )?(?:abstract )?(?:class|interface|type) (?!Need|Feed)(?:[A-Z][a-z]+ed|Told|Found|Known|Held|Kept|Shown|Chosen|Hidden|Given|Made|Sent|Written)\b/m,
    files: /^$/,
    rule: 'a type has the name of a thing, not what was done to it alone',
  },
  {
    name: new RegExp(
      `^(?:export (?:async )?(?:function\\*?|const|let) (?:${PARTICIPLES})\\b|  (?:(?:static|async|override|abstract|get) )*(?:${PARTICIPLES})[(<].*\\) ?[:{])`,
      'm',
    ),
    files: NOWHERE,
    rule: 'what others call has a noun or a verb in its name, not what was done to something alone',
  },
  {
    name: /\/\*\*\s*\*? ?(?:The same|As it|Also|Likewise)\b/,
    files: NOWHERE,
    comments: true,
    rule: 'a comment is read alone, in a hover: it names its subject',
  },
  {
    name: /\.\.\.\{ /,
    files: NOWHERE,
    rule: 'members of an object stand in it as they are: the formatter gives them their lines',
  },
  {
    name: /-32_?\d{3}\b/,
    files: /^(base\/errors|demo\/noteResources)$/, // the demo shares no module with activation, which would be split for it
    rule: 'codes of errors on the wire have names, in base/errors.ts',
  },
  {
    name: /\b(\w+)(?:: Promise<\w+>)? = Promise\.resolve\(\);[\s\S]*\b\1\.then\(/,
    files: /^base\/queue$/,
    rule: 'one after the other is a `Queue`, of base/queue.ts',
  },
  {
    name: /^(?=[\s\S]*\bmodal: true)[\s\S]*\bt\(['"](?:Deny|Decline|Refuse|Don't )/,
    files: /^$/,
    rule: 'a modal dialog with a refusal is shown by `askDecision` of features/review: the editor would add "Cancel"',
  },
  {
    name: /\.normalize\((?:'NF|\))/,
    files: /^base\/normalized$/,
    rule: 'to normalize many marks in a row takes n² steps: `normalized` of base/normalized.ts looks at some of them',
  },
  {
    name: /\.toLocale\w*\(\)/,
    files: /^$/,
    rule: 'Node and browsers have a language of their own: numbers by base/numberText.ts, times with `vscode.env.language`',
  },
  {
    name: /'node:child_process'/,
    files: new RegExp(
      [
        // The type of a process.
        '^host/(transport/stdioTransport|sandbox/(confinement|launcher))$',
        // What runs for servers, and what ends it.
        '^host/launch/processGroup$',
        // Programs of the system, and our own.
        '^host/(launch/(environment|processUsage)|sandbox/(bridge|bubblewrap|git|seatbelt))$',
        '^base/isolatedProcess$',
        '^features/telemetry/core/exportProgram$',
        '^features/organization/core/readManagedFile$',
        '^features/trust/core/syslog$',
      ].join('|'),
    ),
    rule: 'programs that run for a server are started by `launch` of host/sandbox/launcher.ts',
  },
  {
    name: /\bvscode\.Memento\b|\b(?:workspaceState|globalState)\??\.(?:get|update)\b/,
    files: /^editor\/storage$/,
    rule: 'state is kept by `ScopedStorage` or `PlainState` of editor/storage.ts, which know whether it is something that a program was allowed',
  },
  {
    name: /\bspawnGroup\b/,
    // The question goes to the runner of a launch that has been started: nothing of the server runs.
    files: /^host\/(launch\/(processGroup|runnerQuestion)|sandbox\/launcher)$/,
    rule: 'programs that run for a server are started by `launch` of host/sandbox/launcher.ts',
  },
  {
    id: 'files that are read',
    name: takes(FS_READS),
    // Each reads only what the extension, or the system, has written.
    files: exactly({
      'base/files': '',
      'demo/notebook': '',
      'editor/storage': '',
      'features/trust/core/auditLog': '',
      'host/launch/processUsage': '',
      'features/trust/secretOwners': 'the name of a remote machine, in the storage of the extension',
      'features/agents/core/bridge/windowCards': 'written by the extension, where only this person can',
      'host/sandbox/bubblewrap': 'what the kernel says of processes',
      'host/sandbox/heldFolder': 'folders, which it opens without following links',
      'features/codeMode/core/worker/main': '',
    }),
    rule: 'files are read by `readBounded` of base/files.ts, which has limits',
  },
  {
    name: /getConfiguration\((?!'(?:chat|editor)')[^)]*\)\s*\.get\b|\bsettings(?:\(\))?\.get\b/,
    files: exactly({
      'editor/settingValues': '',
      'features/organization/editorSettings': 'settings of the editor',
      'features/settings/configuration': 'those that a server names',
    }),
    rule: 'our settings are read by `settingValue` of editor/settingValues.ts, which knows whose word counts',
  },
  {
    name: /\bfs\.readFile\(/,
    files: exactly({
      'editor/fileText': 'it looks at the kind and the size first',
      'features/trace/traceFiles': '',
    }),
    rule: "the editor's own way to read files has no limit: use `readBounded` of base/files.ts or `textAt` of editor/fileText.ts",
  },
  {
    name: takes(FS_WRITES),
    files: exactly({
      'base/files': '',
      'demo/notebook': 'notes, which are made and never overwritten',
      'features/agents/core/bridge/openWindow': 'its own name, in /proc',
      'features/bundles/core/newFiles':
        'what is unpacked or downloaded, under a name of its own in a folder of the extension',
      'features/auth/core/windowLock': 'renames locks, which are folders',
      'host/sandbox/setAside': 'moves what appeared, by a path that no link can change',
      'host/sandbox/seatbelt': 'in a folder that it has just made',
    }),
    rule: 'files are written by base/files.ts',
  },
  {
    id: 'owners of tool calls',
    name: /\bapproveTest\(|\bhost\.requests\b|\bnew RequestDoors\b/,
    files: exactly({
      extension: 'gives them to tests in the extension host',
      startServers: 'owns a host: gives them to its policy',
      'host/host': 'makes them, for an owner that has none before',
      'features/authors/core/oneRequest': 'the same for a host of its own',
      'features/authors/core/testSession': 'the same for a host of its own',
      'features/trust/core/toolCalls': '',
    }),
    rule: 'requests go through features/trust/core/requestPolicy.ts, tool calls through toolCalls.ts',
  },
  {
    id: 'pages',
    name: /\.html = \w|\.onDidReceiveMessage\(|\bwebview\.postMessage\(/,
    files: exactly({ 'editor/webviewPage': '' }),
    rule: 'a page is a `WebviewPage`, of editor/webviewPage.ts, with its policy',
  },
  {
    name: /\bacquireVsCodeApi\b/,
    files: exactly({ 'editor/webview/page': '' }),
    rule: 'the script of a page talks to the editor through editor/webview/page.ts',
  },
  {
    id: 'policies of pages',
    name: /^ *(?:media: true|pictures: true|policy: own =>.*),$/m,
    files: exactly({
      'features/tools/itemPage': 'results are drawn and played',
      'features/setup/gallery': 'icons are drawn',
      'features/apps/appFrame':
        'an app inherits the policy of the page around it, which is made of what the app declared',
    }),
    rule: 'no other page draws, plays, or has a policy of its own',
  },
  {
    id: 'trusted markdown',
    name: /(?<!workspace\.)isTrusted\s*[:=]|supportHtml|\.appendText\(|\.appendMarkdown\(|(?<!#)\btrusted\(/,
    files: exactly({
      'host/definitions': 'whether the workspace is trusted',
      'editor/markdown': 'links to commands of ours; each text goes through plainMarkdown',
    }),
    rule: 'markdown of a server has neither commands nor HTML: links are made by editor/markdown.ts',
  },
  {
    name: /\.isTrusted = (?!\{ enabledCommands: \[\.\.\.new Set\(links\.map\(\(\{ command \}\) => command\)\)\] \};)/,
    files: NOWHERE,
    rule: 'markdown runs only the commands of its links',
  },
  {
    id: 'markdown',
    name: /new (?:vscode\.)?MarkdownString\(/,
    files: exactly({
      'editor/markdown': 'links, rows and paragraphs, whose texts went through plainMarkdown',
      'features/chat/approval': 'our own markup around plainMarkdown',
      'features/chat/answerLines': 'our own markup around plainMarkdown, and data: URIs made of the bytes of an image',
      'features/review/wholePage': 'our own markup around plainMarkdown',
      'features/chat/subcommands':
        'our own markup around plainMarkdown, and text in a block whose fence it can not hold',
      'features/profiles/profileMenu': 'our own markup around plainMarkdown',
      'features/resources/resources': 'a text of ours',
    }),
    rule: 'text of a server becomes markdown in few files, where it is escaped',
  },
  {
    name: /new (?:vscode\.)?MarkdownString\((?!\)|[^;]*?(?:plainMarkdown|shown\.join|heading\(title\)|afterName\(|title\}|fence\}text|\bt\('))/,
    files: exactly({ 'editor/markdown': 'its texts went through plainMarkdown' }),
    rule: 'text in markdown goes through `plainMarkdown`',
  },
  {
    id: 'markdown in chat',
    name: /stream\.(?:markdown|progress)\(/,
    files: exactly({
      'features/chat/approval': 'question and quotedJson escape',
      'features/chat/answerLines': 'lines, links, quotes, rows, notes, sayProgress and sayAnswers escape',
      'features/chat/subcommands': 'headings, rows and blocks of code escape; help is ours',
      'features/profiles/profileMenu': 'lines and rows escape',
      'features/chat/turnRounds': 'the text of the model, which the editor renders as that of every model',
    }),
    rule: "markdown in chat is ours, escaped, or the model's",
  },
  {
    name: /stream\.anchor\((?![^;]*linkLabel\()|errorDetails(?![^\n]*plainMarkdown\()/,
    files: NOWHERE,
    rule: 'the editor makes markdown of errors and titles of anchors: `plainMarkdown`, `linkLabel`',
  },
  {
    id: 'URIs',
    name: /Uri\.parse\(/,
    files: exactly({
      'features/sampling/samplingReviews': 'of a review of ours, as a lens hands it back',
      'features/auth/loopback': 'of our own loopback listener',
      'editor/icons': 'a data: URI that matched SAFE_ICON and whose bytes are an image',
      'features/resources/resourceDrop': 'lines that begin with mcp:',
      'features/setup/setup': 'a file that was dropped: on this machine, or where an open folder is',
      startServers: 'a page of our repository, as our manifest and our rules name it',
      'features/nativeChat/nativeChat': 'the address of our own gateway',
    }),
    rule: 'text becomes a URI in few files, which check its scheme',
  },
  {
    id: 'opened pages',
    name: /openExternal/,
    files: exactly({
      'features/elicitation/elicitation': 'an address that reviewUrl let through and a person saw',
      'features/auth/signInDialogs': 'an authorization address, https or loopback, that a person saw',
    }),
    rule: 'pages are opened outside only when a person saw their address',
  },
  {
    name: /xdg-open|rundll32|explorer\.exe|'open'.*\bexec|\bexec(?:File)?(?:Sync)?\('(?:open|start)'/,
    files: NOWHERE,
    rule: 'pages are opened by the editor, never by a program',
  },
  {
    id: 'plain text',
    name: /\bas (?:unknown as )?(?:PlainText|RowText|T\b.*RowText)|<(?:PlainText|RowText)>\w/,
    files: exactly({
      'base/text': 'the door, and icons escaped for rows',
      'editor/window': 'what is made of plain texts',
    }),
    rule: 'a text is called plain by `plain` of base/text.ts, which makes it so',
  },
];
