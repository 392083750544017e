import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inRepository } from '../setup/paths';

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

describe('what servers send', () => {
  it('is never trusted markup: no markdown may run commands or hold HTML', () => {
    assert.deepEqual(places(/(?<!workspace\.)isTrusted\s*[:=]|supportHtml|\.appendText\(|\.appendMarkdown\(/), []);
  });

  it('becomes markdown in these files only, escaped there', () => {
    const allowed = {
      'editor/tooltip.ts': 'paragraphs that went through plainMarkdown',
      'editor/chat/approval.ts': 'our own markup around plainMarkdown',
      'editor/trust/argumentsText.ts': 'our own markup around plainMarkdown',
      'editor/chat/callQuestions.ts': 'our own markup around plainMarkdown',
      'editor/chat/subcommands.ts': 'our own markup around plainMarkdown',
      'editor/resources/resources.ts': 'a text of ours',
    };
    assert.deepEqual(others(places(/new (vscode\.)?MarkdownString\(/), allowed), []);
    const bare = calls(/new (?:vscode\.)?MarkdownString\(/).filter(
      ({ text }) =>
        !/plainMarkdown|MarkdownString\(\)|shown\.join|heading\(title\)|rowText\(|title\}|l10n\.t\('/.test(text),
    );
    assert.deepEqual(bare, []);
  });

  it('is markdown where the editor takes chat text for it: only what is ours or escaped, and what the model says', () => {
    const allowed = {
      'editor/chat/approval.ts': 'question, quotedJson and say escape',
      'editor/chat/callQuestions.ts': 'quotes, rows and notes escape',
      'editor/chat/subcommands.ts': 'headings and rows escape; help is ours',
      'editor/chat/turn.ts': 'the text of the model, which the editor renders as that of every model',
    };
    assert.deepEqual(others(places(/stream\.markdown\(/), allowed), []);
    assert.deepEqual(others(places(/stream\.progress\(/), { 'editor/chat/approval.ts': 'sayProgress escapes' }), []);
  });

  it('is escaped where the editor makes markdown of it unasked: errors of the participant, titles of anchors', () => {
    const unasked = [...calls(/stream\.anchor\(/), ...places(/errorDetails/)];
    assert.equal(unasked.length, 2);
    assert.deepEqual(
      unasked.filter(({ text }) => !/linkLabel\(|plainMarkdown\(/.test(text)),
      [],
    );
  });

  it('makes a URI in these files only, which look at its scheme', () => {
    const allowed = {
      'editor/sampling/reviewDocuments.ts': 'of a review of ours, as a lens hands it back',
      'editor/auth/loopback.ts': 'of our own loopback listener',
      'editor/icons.ts': 'a data: URI that matched SAFE_ICON',
      'editor/resources/drop.ts': 'lines that begin with mcp:',
      'editor/nativeChat/nativeChat.ts': 'the address of our own gateway',
    };
    assert.deepEqual(others(places(/Uri\.parse\(/), allowed), []);
    const opened = {
      'editor/elicitation/elicitation.ts': 'an address that reviewUrl let through and a person saw',
      'editor/auth/browser.ts': 'an authorization address, https or loopback, that a person saw',
    };
    assert.deepEqual(others(places(/openExternal/), opened), []);
  });

  it('makes no links in notifications: every text that is not ours alone goes through withoutLinks', () => {
    const shown = calls(/window\.show(?:Information|Warning|Error)Message\(/);
    const isOurs = ({ text, first }: Call) =>
      /withoutLinks\(/.test(first) ||
      /modal: true/.test(text) || // plain text
      // One text or a choice of texts, without anything put into it.
      (/\bt\(\s*'/.test(first) && !/t\(\s*'[^']*\{\d\}|\$\{/.test(first.replace(/\{\d\} MCP servers/g, '')));
    assert.deepEqual(
      shown.filter(call => !isOurs(call)),
      [],
    );
  });

  it('makes no links in input boxes: prompts and messages go through withoutLinks', () => {
    const set = places(/\.(prompt|validationMessage) = /).filter(({ text }) => !/withoutLinks|= undefined/.test(text));
    assert.deepEqual(set, []);
    assert.deepEqual(places(/placeHolder: .*\$\(/), []);
  });
});
