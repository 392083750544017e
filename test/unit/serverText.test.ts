import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { plain } from '../../src/base/text';
import type { window } from '../../src/editor/window';
import { inRepository, temporaryFolder } from '../setup/paths';

/** A line of the sources, where it is and what it says. */
interface Line {
  file: string;
  text: string;
}

interface Call extends Line {
  /** Its first argument, variables followed to what they are. */
  first: string;
}

const sources = readdirSync(inRepository('src'), { recursive: true, encoding: 'utf8' })
  .filter(file => file.endsWith('.ts'))
  .map(file => file.replaceAll('\\', '/'))
  .map(file => ({ file, text: readFileSync(join(inRepository('src'), file), 'utf8') }));

/** Every place where the pattern stands, comments left aside. */
function places(pattern: RegExp): Line[] {
  return sources.flatMap(({ file, text }) =>
    text
      .split('\n')
      .filter(line => !/^\s*(\/\*)?\*|^\s*\/\//.test(line) && pattern.test(line))
      .map(line => ({ file, text: line.trim() })),
  );
}

/** Whole calls, over several lines where they are: from the name to the parenthesis that closes it. */
function calls(name: RegExp): Call[] {
  return sources.flatMap(({ file, text }) =>
    [...text.matchAll(new RegExp(name, 'g'))].map(({ index }) => {
      const open = text.indexOf('(', index);
      const end = endOf(text, open + 1, /\)/);
      return { file, text: oneLine(text.slice(index, end + 1)), first: followed(text, open + 1, index) };
    }),
  );
}

/** Where an expression ends: at the first `stop` that is in none of its parentheses, brackets or texts. */
function endOf(text: string, start: number, stop: RegExp): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const character = text[at]!;
    if (depth === 0 && stop.test(character)) return at;
    if (character === "'") at = text.indexOf("'", at + 1);
    else if ('([{'.includes(character)) depth++;
    else if (')]}'.includes(character)) depth--;
  }
  return text.length;
}

/** The expression at `start`, with each variable in it as it was made last before `before`. */
function followed(text: string, start: number, before: number): string {
  const expression = oneLine(text.slice(start, endOf(text, start, /[,;)]/)));
  return expression.replace(/'[^']*'|\.\w+|\b[a-z]\w*\b(?!\()/g, name => {
    if (!/^\w/.test(name)) return name;
    const made = [...text.slice(0, before).matchAll(new RegExp(`\\b(?:const|let) ${name} =\\s`, 'g'))].at(-1);
    return made ? `(${followed(text, made.index + made[0].length, made.index)})` : name;
  });
}

const oneLine = (text: string) => text.trim().replace(/\s+/g, ' ');

const others = (found: Line[], allowed: Readonly<Record<string, string>>): Line[] =>
  found.filter(({ file }) => !Object.hasOwn(allowed, file));

describe('texts of servers', () => {
  it('are never trusted markdown: no commands and no HTML @serverText.trusted-markdown-commands', () => {
    const allowed = {
      'host/definitions.ts': 'whether the workspace is trusted',
      'features/tools/schemaHelp.ts': 'no markdown: text that is inserted as a snippet',
    };
    const found = places(/(?<!workspace\.)isTrusted\s*[:=]|supportHtml|\.appendText\(|\.appendMarkdown\(/);
    // But for links to commands of ours, in one place, which escapes all text that it is given. A remedy does only what is
    // offered; the answer to a question in chat is an id of ours.
    const links = 'markdown.isTrusted = { enabledCommands: [...new Set(links.map(({ command }) => command))] };';
    assert.deepEqual(others(found, allowed), [{ file: 'editor/markdown.ts', text: links }]);
    const trusting = calls(/(?<!#)\btrusted\(/);
    assert.deepEqual(others(trusting, { 'editor/markdown.ts': 'each text goes through plainMarkdown' }), []);
  });

  it('become markdown in these files only, escaped there @serverText.become-markdown-files', () => {
    const allowed = {
      'editor/markdown.ts': 'links, rows and paragraphs, whose texts went through plainMarkdown',
      'features/chat/approval.ts': 'our own markup around plainMarkdown',
      'features/chat/answerLines.ts':
        'our own markup around plainMarkdown, and data: URIs made of the bytes of an image',
      'features/review/wholePage.ts': 'our own markup around plainMarkdown',
      'features/chat/subcommands.ts':
        'our own markup around plainMarkdown, and text in a block whose fence it can not hold',
      'features/profiles/profileMenu.ts': 'our own markup around plainMarkdown',
      'features/resources/resources.ts': 'a text of ours',
    };
    assert.deepEqual(others(places(/new (vscode\.)?MarkdownString\(/), allowed), []);
    const bare = calls(/new (?:vscode\.)?MarkdownString\(/).filter(
      ({ text }) =>
        !/plainMarkdown|MarkdownString\(\)|shown\.join|heading\(title\)|afterName\(|title\}|fence\}text| t\('/.test(
          text,
        ),
    );
    assert.deepEqual(others(bare, { 'editor/markdown.ts': 'see the test above' }), []);
  });

  it("in chat are markdown only if ours or escaped, or the model's", () => {
    const allowed = {
      'features/chat/approval.ts': 'question and quotedJson escape',
      'features/chat/answerLines.ts': 'lines, links, quotes, rows and notes escape',
      'features/chat/subcommands.ts': 'headings, rows and blocks of code escape; help is ours',
      'features/profiles/profileMenu.ts': 'lines and rows escape',
      'features/chat/turn.ts': 'the text of the model, which the editor renders as that of every model',
    };
    assert.deepEqual(others(places(/stream\.markdown\(/), allowed), []);
    const progress = {
      'features/chat/answerLines.ts': 'sayProgress and sayAnswers escape',
    };
    assert.deepEqual(others(places(/stream\.progress\(/), progress), []);
  });

  it('are escaped where the editor makes markdown of them: errors of the participant, titles of anchors', () => {
    const unasked = [...calls(/stream\.anchor\(/), ...places(/errorDetails/)];
    assert.equal(unasked.length, 3);
    assert.deepEqual(
      unasked.filter(({ text }) => !/linkLabel\(|plainMarkdown\(/.test(text)),
      [],
    );
  });

  it('become URIs in these files only, which check the scheme @serverText.become-uris-files', () => {
    const allowed = {
      'features/sampling/samplingReviews.ts': 'of a review of ours, as a lens hands it back',
      'features/auth/loopback.ts': 'of our own loopback listener',
      'editor/icons.ts': 'a data: URI that matched SAFE_ICON and whose bytes are an image',
      'features/resources/resourceDrop.ts': 'lines that begin with mcp:',
      'features/setup/setup.ts': 'a file that was dropped: on this machine, or where an open folder is',
      'startServers.ts': 'a page of our repository, as our manifest and our rules name it',
      'features/nativeChat/nativeChat.ts': 'the address of our own gateway',
    };
    assert.deepEqual(others(places(/Uri\.parse\(/), allowed), []);
    const opened = {
      'features/elicitation/elicitation.ts': 'an address that reviewUrl let through and a person saw',
      'features/auth/signInDialogs.ts': 'an authorization address, https or loopback, that a person saw',
    };
    assert.deepEqual(others(places(/openExternal/), opened), []);
  });

  it('are opened by the editor only, never by a program @serverText.opened-editor-program', () => {
    assert.deepEqual(places(/xdg-open|rundll32|explorer\.exe|'open'.*\bexec|\bexec(File)?(Sync)?\('(open|start)'/), []);
    const opened = places(/env\.openExternal\(/).map(({ file }) => file);
    assert.deepEqual(opened.sort(), ['features/auth/signInDialogs.ts', 'features/elicitation/elicitation.ts']);
  });

  it("make no links or icons: the editor's window is reached through one module, other ways are lint errors @serverText.make-links-icons", async function () {
    this.timeout(60_000);
    const folder = temporaryFolder();
    const ways = [
      "void vscode.window.showInformationMessage('x');",
      "void vscode.window\n  .withProgress({ location: 15, title: 'x' }, async () => {});",
      "void vscode.window['showWarningMessage']('x');",
      'const { window } = vscode;',
      'export const mine = vscode.window;',
      "vscode.window.createInputBox().prompt = 'x';",
      'vscode.window.createQuickPick().items = [];',
      'vscode.window.createStatusBarItem();',
      "vscode.l10n.t('x');",
      'const { l10n } = vscode;',
    ];
    mkdirSync(join(folder, 'probes'));
    for (const [index, way] of ways.entries()) {
      writeFileSync(join(folder, 'probes', `${index}.ts`), `import * as vscode from 'vscode';\n${way}\n`);
    }
    const plugin = inRepository('test/lint/door.grit');
    writeFileSync(join(folder, 'biome.json'), JSON.stringify({ plugins: [plugin] }));
    const found = await flagged(folder, ['src', join(folder, 'probes')]);
    const inProbes = found.filter(file => /probes[\\/]\d\.ts$/.test(file));
    assert.deepEqual(inProbes.map(file => file.at(-4)).sort(), [...ways.keys()].map(String));
    const others = found.filter(file => !inProbes.includes(file)).map(file => file.replaceAll('\\', '/'));
    assert.deepEqual([...new Set(others)], ['src/editor/window.ts']);
    // The same rule is part of `npm run lint`.
    const config = JSON.parse(readFileSync(inRepository('biome.json'), 'utf8')) as { overrides: unknown[] };
    const rule = { includes: ['src/**', '!src/editor/window.ts'], plugins: ['./test/lint/door.grit'] };
    assert.ok(config.overrides.some(override => JSON.stringify(override) === JSON.stringify(rule)));
  });

  it('pass the compiler only after escaping @serverText.pass-compiler-escaping', () => {
    // Looked at by the compiler, never called: each line without the door must be an error.
    const refused = (shown: typeof window, name: string) => {
      // @ts-expect-error
      void shown.showInformationMessage(name);
      // @ts-expect-error
      void shown.showWarningMessage(`MCP server "${name}"`);
      // @ts-expect-error
      void shown.showErrorMessage(name, 'OK');
      // @ts-expect-error
      void shown.withProgress({ location: 15, title: name }, async () => {});
      void shown.withProgress({ location: 15 }, async progress => {
        // @ts-expect-error
        progress.report({ message: name });
      });
      // @ts-expect-error
      void shown.showInputBox({ prompt: name });
      // @ts-expect-error
      void shown.showInputBox({ title: name });
      // @ts-expect-error
      shown.createInputBox().prompt = name;
      // @ts-expect-error
      shown.createInputBox().validationMessage = name;
      // @ts-expect-error
      void shown.showQuickPick([{ label: name }]);
      // @ts-expect-error
      void shown.showQuickPick([{ label: plain(name), detail: name }]);
      // @ts-expect-error
      shown.createQuickPick().items = [{ label: plain(name), description: name }];
      // @ts-expect-error
      shown.createStatusBarItem('id').text = name;
      // @ts-expect-error
      shown.createStatusBarItem('id').tooltip = name;
      // @ts-expect-error
      shown.setStatusBarMessage(name, 1);
      // @ts-expect-error
      shown.createOutputChannel(name);
      void shown.showInformationMessage(plain(name));
    };
    assert.equal(refused.length, 2);
    // Nothing but the door says of a text that it is plain.
    const doors = {
      'base/text.ts': 'the door, and icons escaped for rows',
      'editor/window.ts': 'what is made of plain texts',
    };
    assert.deepEqual(
      others(places(/\bas (unknown as )?(PlainText|RowText|T\b.*RowText)|<(PlainText|RowText)>\w/), doors),
      [],
    );
  });
});

/** The files in which lint finds something, with the configuration of a folder. */
function flagged(folder: string, where: string[]): Promise<string[]> {
  const biome = inRepository('node_modules', '@biomejs', 'biome', 'bin', 'biome');
  const args = [biome, 'lint', `--config-path=${folder}`, '--reporter=json', '--max-diagnostics=none', ...where];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { cwd: inRepository(), maxBuffer: 64 * 1024 * 1024 }, (_error, stdout) => {
      try {
        const { diagnostics } = JSON.parse(stdout) as {
          diagnostics: { category: string; location: { path: string } }[];
        };
        resolve(diagnostics.filter(({ category }) => category === 'plugin').map(({ location }) => location.path));
      } catch (error) {
        reject(error);
      }
    });
  });
}
