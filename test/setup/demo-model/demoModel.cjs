// A language model without a network: the same question always has the same answer.
//   anything                    "You said: anything"
//   call <tool> {"a": 1}        calls that tool, when it is offered; its result is answered with in one line
const vscode = require('vscode');

const model = {
  id: 'demo-model',
  name: 'Demo Model',
  family: 'demo',
  version: '1',
  tooltip: 'Scripted answers, for trying things out',
  maxInputTokens: 100_000,
  maxOutputTokens: 10_000,
  capabilities: { toolCalling: true },
};

exports.activate = async context => {
  context.subscriptions.push(vscode.lm.registerLanguageModelChatProvider('demo', new DemoModelProvider()));
  // Models are resolved when something first asks for them; before that a chat request ends in "unavailable".
  await vscode.lm.selectChatModels({ vendor: 'demo' });
};

class DemoModelProvider {
  provideLanguageModelChatInformation() {
    return [model];
  }

  async provideLanguageModelChatResponse(_model, messages, options, progress, token) {
    const { parts, text } = lastMessage(messages);
    const results = parts.filter(part => part instanceof vscode.LanguageModelToolResultPart);
    const say = answer => progress.report(new vscode.LanguageModelTextPart(answer));

    if (token.isCancellationRequested) return;
    if (results.length > 0)
      return say(`The tool answered: ${oneLine(results.map(result => textOf(result.content)).join(' '))}`);
    const call = toolCall(text, options.tools ?? []);
    if (call)
      return progress.report(new vscode.LanguageModelToolCallPart(`call-${messages.length}`, call.name, call.input));
    for (const word of `You said: ${text}`.split(/(?<= )/)) say(word); // streams, as a model does
  }

  async provideTokenCount(_model, text) {
    return Math.ceil((typeof text === 'string' ? text : textOf(text.content)).length / 4);
  }
}

function lastMessage(messages) {
  const parts = messages.at(-1)?.content ?? [];
  return { parts, text: textOf(parts).trim() };
}

/** `call <tool> {json}`, for a tool that is offered, by its name or by the end of its name. */
function toolCall(text, tools) {
  const [, wanted, json] = /\bcall\s+(\S+)\s*(\{[\s\S]*\})?/.exec(text) ?? [];
  const tool =
    wanted && (tools.find(({ name }) => name === wanted) ?? tools.find(({ name }) => name.endsWith(`_${wanted}`)));
  if (!tool) return undefined;
  try {
    return { name: tool.name, input: JSON.parse(json ?? '{}') };
  } catch {
    return undefined; // not JSON: an ordinary sentence with the word "call" in it
  }
}

const textOf = parts =>
  parts
    .map(part => (part instanceof vscode.LanguageModelTextPart ? part.value : typeof part === 'string' ? part : ''))
    .join('');

function oneLine(text) {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > 300 ? `${line.slice(0, 300)}…` : line;
}
