import { getLocation, type JSONPath, parse } from 'jsonc-parser';
import { isObject } from '../../base/json';
import { t } from '../../editor/window';

import vscode = require('vscode');

import { visible } from '../../base/text';
import { localized } from '../../editor/errorText';
import { plainTooltip } from '../../editor/markdown';
import { expectation } from './core/fieldChecks';
import { asStep, beginning, propertiesAt, schemaAt, valuesOf } from './core/schemaAt';
import type { JsonSchema } from './core/schemaForm';

/** Completion and hovers in JSON that is edited, from the schema of its document. What a server says there is shown as text. */
export class SchemaHelp implements vscode.CompletionItemProvider, vscode.HoverProvider, vscode.Disposable {
  readonly #registered: vscode.Disposable;

  constructor(
    scheme: string,
    private readonly schemaOf: (document: vscode.TextDocument) => JsonSchema | undefined,
  ) {
    this.#registered = vscode.Disposable.from(
      vscode.languages.registerCompletionItemProvider({ scheme }, this, '"', ':', ' '),
      vscode.languages.registerHoverProvider({ scheme }, this),
    );
  }

  provideCompletionItems(document: vscode.TextDocument, position: vscode.Position): vscode.CompletionItem[] {
    const schema = this.schemaOf(document);
    if (!schema) return [];
    const text = document.getText();
    const { path, isAtPropertyKey, previousNode } = getLocation(text, document.offsetAt(position));
    const at = document.offsetAt(position);
    // What is there already of the word is replaced as a whole, quotes included.
    const inWord = previousNode && previousNode.offset <= at && at <= previousNode.offset + previousNode.length;
    const range = inWord
      ? new vscode.Range(
          document.positionAt(previousNode.offset),
          document.positionAt(previousNode.offset + previousNode.length),
        )
      : (document.getWordRangeAtPosition(position, /[\w.+-]+/) ?? new vscode.Range(position, position));
    return isAtPropertyKey
      ? names(schema, path, {
          range,
          object: valueAt(text, path.slice(0, -1)),
          isFollowed: hasColon(text, document.offsetAt(range.end)),
        })
      : values(schemaAt(schema, path), range);
  }

  provideHover(document: vscode.TextDocument, position: vscode.Position): vscode.Hover | undefined {
    const root = this.schemaOf(document);
    const { path } = getLocation(document.getText(), document.offsetAt(position));
    const schema = root && path.length > 0 ? schemaAt(root, path) : undefined;
    if (!root || !schema) return undefined;
    const name = path.at(-1);
    const isRequired = propertiesAt(root, path.slice(0, -1)).some(one => one.name === name && one.required);
    return new vscode.Hover(describe(schema, isRequired));
  }

  dispose(): void {
    this.#registered.dispose();
  }
}

function names(
  schema: JsonSchema,
  path: JSONPath,
  { range, object, isFollowed }: { range: vscode.Range; object: unknown; isFollowed: boolean },
): vscode.CompletionItem[] {
  const typed = path.at(-1);
  const present = new Set(Object.keys(isObject(object) ? object : {}));
  return propertiesAt(schema, path.slice(0, -1))
    .filter(({ name }) => name === typed || !present.has(name))
    .map(({ name, required, schema: property }, index) => {
      const item = new vscode.CompletionItem(
        { label: visible(name, 80), description: required ? t('required') : '' },
        vscode.CompletionItemKind.Property,
      );
      const key = JSON.stringify(name);
      const begin = beginning(property);
      // The cursor goes into the quotes or brackets of an empty value.
      const snippet = new vscode.SnippetString().appendText(isFollowed ? key : `${key}: `);
      if (!isFollowed && /^(""|\[\]|\{\})$/.test(begin)) {
        snippet.appendText(begin[0]!).appendTabstop(0).appendText(begin[1]!);
      } else if (!isFollowed) snippet.appendPlaceholder(begin);
      item.insertText = snippet;
      item.filterText = key;
      item.range = range;
      item.sortText = `!${required ? 0 : 1}${String(index).padStart(4, '0')}`;
      if (property) item.documentation = describe(property, required);
      return item;
    });
}

function values(schema: JsonSchema | undefined, range: vscode.Range): vscode.CompletionItem[] {
  return valuesOf(schema).map((value, index) => {
    const json = JSON.stringify(value);
    const item = new vscode.CompletionItem(visible(json, 80), vscode.CompletionItemKind.Value);
    item.insertText = json;
    item.filterText = json;
    item.range = range;
    item.sortText = `!${String(index).padStart(4, '0')}`;
    return item;
  });
}

/** The schema's description of a value, as text without markup. */
function describe({ title, description, ...schema }: JsonSchema, isRequired: boolean): vscode.MarkdownString {
  const step = asStep(schema);
  const kind = [step && localized(expectation(step)), isRequired ? t('required') : t('optional')];
  const said = [title, description].map(text => (typeof text === 'string' ? text : undefined));
  return plainTooltip([...said, kind.filter(Boolean).join(', ')]);
}

/** The value at a path of a text that may be incomplete. */
function valueAt(text: string, path: JSONPath): unknown {
  return path.reduce<unknown>((value, part) => Object(value)[part], parse(text));
}

const hasColon = (text: string, offset: number) => /^\s*:/.test(text.slice(offset, offset + 100));
