import vscode = require('vscode');

import { numberText } from '../../base/numberText';
import { limited } from '../../base/queue';
import { rowText, visible } from '../../base/text';
import { showProgress } from '../../editor/dialogs';
import { errorText, localized } from '../../editor/errorText';
import { say, t, window } from '../../editor/window';
import type { ServerConnection } from '../../host';
import { isFor } from '../../host/catalog';
import { type EvalQuestion, readEvalFile, readText, type Snapshots, unreadable } from '../authors';
import { TokenCounter } from '../languageModel';
import { evalReport, unknownTools } from './core/evalReport';
import { type EvalPlan, type EvalRequest, makeRequests, planRequests, type Versions } from './core/evalRun';
import { type Choice, ToolVersion } from './core/toolVersion';

const FILES = '**/*.mcpeval.{json,yaml,yml}';
const ENDING = '.mcpeval.yaml';
const LEFT_OUT = '**/node_modules/**';
const MAX_FILES = 100;
/** Providers accept no more in one request. */
const MAX_TOOLS = 128;
const LIMIT_MS = 2 * 60_000;
/** Codes of `LanguageModelError` after which every other request would fail too. */
const FINAL = ['NoPermissions', 'Blocked', 'NotFound'];

/**
 * *Compare Descriptions…*: which tools a model of the editor chooses for the questions of a file, with the tools as they were in the
 * snapshot and as they are. Nothing is sent before the person agrees, and nothing is called on the server.
 */
export async function compareDescriptions(
  snapshots: Pick<Snapshots, 'storedFor' | 'offered'>,
  server: ServerConnection,
): Promise<void> {
  const file = await chooseFile(server);
  if (!file) return;
  const asked = await readText(file.fsPath).then(
    text => readEvalFile(text, file.path),
    error => ({ questions: [], problems: [unreadable(error)] }),
  );
  if (asked.problems[0]) return tellProblem(file, asked.problems[0].place, localized(asked.problems[0].message));
  const kept = await snapshots.storedFor(server);
  if (!kept) return;
  const offered = await snapshots.offered(server);
  // A snapshot does not say for whom a tool is.
  const hidden = new Set(server.catalog.tools.filter(tool => !isFor('model', tool)).map(({ name }) => name));
  const isOffered = (name: string) => !hidden.has(name);
  const versions: Versions = {
    before: new ToolVersion(server.id, kept.before, isOffered),
    now: new ToolVersion(server.id, offered, isOffered),
  };
  const problem = problemOf(versions, server.name);
  if (problem !== undefined) {
    await window.showInformationMessage(problem);
    return;
  }
  const [unknown] = unknownTools(asked.questions, [...versions.before.names, ...versions.now.names]);
  if (unknown) {
    const name = visible(unknown.tool ?? '', 60);
    return tellProblem(file, unknown.place, t('"{0}" offers models no tool named "{1}".', server.name, name));
  }
  const model = await chooseModel();
  if (!model) return;
  const counter = new TokenCounter(text => model.countTokens(text));
  const plan = await planRequests(asked.questions, versions, text => counter.countText(text));
  if (plan.longest > model.maxInputTokens) {
    await window.showWarningMessage(
      t('This is too long for {0}, which accepts {1} tokens.', model.name, numberText(model.maxInputTokens)),
    );
    return;
  }
  if (!(await agrees(server, model, asked.questions, plan))) return;
  const answers = await send(server, model, versions, plan);
  const content = evalReport(
    { server: server.name, model: model.name, plan, versions, answers },
    { word: localized, number: numberText, errorText: error => errorText(error, 200) },
  );
  const document = await vscode.workspace.openTextDocument({ language: 'markdown', content });
  await vscode.window.showTextDocument(document, { preview: false });
}

async function chooseFile(server: ServerConnection): Promise<vscode.Uri | undefined> {
  const files = await vscode.workspace.findFiles(FILES, LEFT_OUT, MAX_FILES);
  if (files.length === 0) {
    const write = t('Write One');
    const message = t('This workspace has no file of questions. The name of such a file ends in "{0}".', ENDING);
    if ((await window.showInformationMessage(message, write)) === write) await writeExample(server);
  }
  if (files.length <= 1) return files[0];
  const rows = files
    .map(uri => ({ label: rowText(vscode.workspace.asRelativePath(uri), 200), uri }))
    .sort((a, b) => (a.label < b.label ? -1 : 1));
  return (await window.showQuickPick(rows, { placeHolder: t('Select the questions') }))?.uri;
}

/** Opens a file with two questions, which the person changes and saves. */
async function writeExample({ catalog }: ServerConnection): Promise<void> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const name = `questions${ENDING}`;
  const editor = await vscode.window.showTextDocument(
    folder
      ? vscode.Uri.joinPath(folder, name).with({ scheme: 'untitled' })
      : vscode.Uri.from({ scheme: 'untitled', path: name }),
  );
  await editor.edit(edit => edit.insert(new vscode.Position(0, 0), exampleQuestions(catalog.tools[0]?.name ?? 'none')));
}

const exampleQuestions = (
  tool: string,
) => `# What people ask, and the tool that a model should call: its name, or "none".
questions:
  - question: What somebody would ask who needs this tool, in their words
    expect: ${JSON.stringify(tool)}
    # arguments: { name: what the call should have, at least }
  - question: Something that no tool of this server is for
    expect: none
`;

async function chooseModel(): Promise<vscode.LanguageModelChat | undefined> {
  const models = (await vscode.lm?.selectChatModels()) ?? [];
  if (models.length === 0) {
    await window.showInformationMessage(
      t('This editor has no language model. Sign in to one, or install an extension that provides one.'),
    );
  }
  if (models.length <= 1) return models[0];
  const rows = models.map(model => ({
    label: rowText(model.name, 80),
    description: rowText(`${model.vendor} · ${model.family}`, 80),
    model,
  }));
  return (await window.showQuickPick(rows, { placeHolder: t('Select the model to ask'), matchOnDescription: true }))
    ?.model;
}

function problemOf({ before, now }: Versions, name: string) {
  if (Math.max(before.names.length, now.names.length) > MAX_TOOLS)
    return t('"{0}" has more than {1} tools, which is more than any model accepts.', name, MAX_TOOLS);
  if (JSON.stringify(before.definitions) === JSON.stringify(now.definitions))
    return t('The tools of "{0}" are the same as in the snapshot, so there is nothing to compare.', name);
  return undefined;
}

async function tellProblem(uri: vscode.Uri, place: EvalQuestion['place'], message: string): Promise<void> {
  const show = t('Show');
  const name = vscode.workspace.asRelativePath(uri);
  const said = t('{0}, line {1}: {2}', name, place.line + 1, message);
  if ((await window.showErrorMessage(said, show)) !== show) return;
  const at = new vscode.Position(place.line, place.column);
  await vscode.window.showTextDocument(uri, { selection: new vscode.Range(at, at) });
}

async function agrees(
  server: ServerConnection,
  model: vscode.LanguageModelChat,
  questions: readonly EvalQuestion[],
  { requests, tokens }: EvalPlan,
): Promise<boolean> {
  const action = t('Send');
  const detail = t(
    'Questions: {0}, each with the tools of "{1}" as in the snapshot and as they are now. That is about {2} tokens as the model counts them, without its answers; your provider may charge for them. The model gets the questions, and the names, descriptions and schemas of the tools. No tool is called.',
    questions.length,
    server.name,
    numberText(tokens),
  );
  const message = t('Send {0} requests to {1} ({2})?', requests.length, model.name, model.vendor);
  return (await window.showWarningMessage(message, { modal: true, detail }, action)) === action;
}

/** Sends the requests, until all are answered or the person cancels. */
function send(server: ServerConnection, model: vscode.LanguageModelChat, versions: Versions, { requests }: EvalPlan) {
  return showProgress(t('Comparing descriptions of "{0}"', server.name), (signal, progress) => {
    let count = 0;
    return makeRequests(requests, request => ask(model, request, versions[request.version], signal), {
      signal,
      isFinal: error => FINAL.includes(String((error as { code?: unknown }).code)),
      done: () => progress.report({ message: say`${++count} / ${requests.length}`, increment: 100 / requests.length }),
    });
  });
}

/** The first call that the model wants to make. What else it would say is not waited for. */
function ask(
  model: vscode.LanguageModelChat,
  { question }: EvalRequest,
  version: ToolVersion,
  signal: AbortSignal,
): Promise<Choice> {
  return limited(LIMIT_MS, [signal], async over => {
    const source = new vscode.CancellationTokenSource();
    over.addEventListener('abort', () => source.cancel());
    try {
      const response = await model.sendRequest(
        [vscode.LanguageModelChatMessage.User(question.question)],
        {
          justification: t('To compare which tools it chooses'),
          tools: [...version.definitions],
          toolMode: vscode.LanguageModelChatToolMode.Auto,
        },
        source.token,
      );
      for await (const part of response.stream)
        if (part instanceof vscode.LanguageModelToolCallPart) return version.choice(part.name, part.input);
      // A stream that was cancelled may end as if the model had nothing more to say.
      over.throwIfAborted();
      return {};
    } catch (error) {
      throw over.aborted && !signal.aborted ? new Error(t('It did not answer in time.')) : error;
    } finally {
      source.cancel();
      source.dispose();
    }
  });
}
