// Language models without a network: the same question always has the same answer.
//
//   anything                            "You said: anything"; with images in the message, how many of which type and size
//   call <tool> {"a": 1}                calls that tool, by its name or by the end of its name, when it is offered
//   call a {..} and call b {..}         both in one round
//   call a {..} then call b {..}        one round after the other; a new line does the same
//   … then anything else                a step without a call: its text, when its turn comes
//   Add a note: …                     calls `add_note` with the note "plan" and that text
//   loop <tool> {..}                    makes that call again in every round, for ever
//   invent                              calls `invented__tool`, which nobody offered
//   use tools                           the names of the tools that are offered
//   system?                             the first 500 characters of the first message
//   messages?                           role and kinds of parts of every message, one line each
//   options?                            the model's id, modelOptions, toolMode and the names of tools, as JSON
//   raw?                                every text of the messages, as JSON
//   quota | refuse tools                the error Blocked; an error whenever tools are offered
//   gone | … then gone                  the error NotFound, when its turn comes
//   slow                                says one word every 100 ms until it is cancelled, 600 words at most
//
// After the last step it answers with one line for each result of this question: `<tool>: <text>`, or
// `<tool> failed: …`, `<tool> denied: …`, with the images it got. One single result: "The tool answered: <text>".
//
// A tool that a provider or the editor's own agent would refuse fails the request (refusals.cjs).
//
// "Demo Model" sees no images, "Demo Vision" does, "Demo Small" takes 2,000 tokens (of four characters) at most and
// throws when it gets more.
const vscode = require('vscode');
// In web windows, an extension is one file.
const { refusal } = typeof importScripts === 'function' ? { refusal() {} } : require('./refusals.cjs');

const model = (id, name, more = {}) => ({
  id,
  name,
  family: 'demo',
  version: '1',
  tooltip: 'Scripted answers, for trying things out',
  maxInputTokens: 100_000,
  maxOutputTokens: 10_000,
  capabilities: { toolCalling: true },
  ...more,
});

const models = [
  model('demo-model', 'Demo Model'),
  model('demo-vision', 'Demo Vision', { capabilities: { toolCalling: true, imageInput: true } }),
  model('demo-small', 'Demo Small', { maxInputTokens: 2000, maxOutputTokens: 500 }),
];

exports.activate = async context => {
  if (!vscode.lm.registerLanguageModelChatProvider) return; // before VS Code 1.104
  context.subscriptions.push(vscode.lm.registerLanguageModelChatProvider('demo', new DemoModelProvider()));
  // Models are resolved when something first asks for them; before that a chat request ends in "unavailable".
  await vscode.lm.selectChatModels({ vendor: 'demo' });
};

class DemoModelProvider {
  provideLanguageModelChatInformation() {
    return models;
  }

  async provideLanguageModelChatResponse({ id, maxInputTokens }, messages, options, progress, token) {
    globalThis.demoModelAsked = performance.now(); // for the benchmarks, which share this process
    const tools = options.tools ?? [];
    const say = answer => progress.report(new vscode.LanguageModelTextPart(answer));
    const { question, images, rounds, results } = conversation(messages);
    const call = ({ name, input }, index) =>
      progress.report(new vscode.LanguageModelToolCallPart(`call-${rounds}-${index}`, name, input));

    if (token.isCancellationRequested) return;
    for (const tool of tools) {
      const why = refusal(tool);
      if (why) throw new Error(`Failed to validate tool ${tool.name}: ${why}`);
    }
    if (id === 'demo-small') refuseTooMuch(messages, maxInputTokens);
    if (/^quota\b/.test(question)) throw vscode.LanguageModelError.Blocked('Your quota is used up.');
    if (/^refuse tools\b/.test(question) && tools.length > 0) throw new Error('This model takes no tools.');
    if (/^system\?/.test(question)) return say(textOf(messages[0].content).slice(0, 500));
    if (/^options\?/.test(question)) {
      const { modelOptions, toolMode } = options;
      return say(JSON.stringify({ id, modelOptions, toolMode, tools: tools.map(({ name }) => name) }));
    }
    if (/^raw\?/.test(question)) return say(JSON.stringify(messages.map(({ content }) => textOf(content))));
    if (/^messages\?/.test(question)) return say(messages.map(outline).join('\n\n'));
    if (/^use tools\b/.test(question)) return say(tools.map(({ name }) => name).join('\n\n') || 'No tools.');
    if (/^slow\b/.test(question)) return slowly(say, token);
    if (/^invent\b/.test(question) && rounds === 0) return call({ name: 'invented__tool', input: {} }, 0);

    const loop = /^loop\b/.test(question) && callsOf(question.replace(/^loop\b/, 'call'), tools)[0];
    if (loop) return call(loop, 0);
    const steps = stepsOf(question);
    const step = steps[rounds];
    if (/^gone\b/.test(step)) throw vscode.LanguageModelError.NotFound('This model is gone.');
    const calls = step ? callsOf(step, tools) : [];
    if (calls.length > 0) return calls.forEach(call);
    if (results.length > 0) return say(step ?? report(results));
    for (const word of `You said: ${question}${told(images)}`.split(/(?<= )/)) say(word); // streams, as a model does
  }

  async provideTokenCount(_model, text) {
    return tokensOf(typeof text === 'string' ? text : textOf(text.content));
  }
}

/** What is asked now, and what became of the calls since. */
function conversation(messages) {
  const isQuestion = ({ role, content }) =>
    role === vscode.LanguageModelChatMessageRole.User && !content.some(isResult);
  const at = messages.findLastIndex(isQuestion);
  const since = messages.slice(at + 1);
  const parts = messages[at]?.content ?? [];
  const names = new Map(
    since.flatMap(({ content }) => content.filter(isCall).map(({ callId, name }) => [callId, name])),
  );
  const results = since.flatMap(({ content }) => content.filter(isResult));
  return {
    question: textOf(parts).trim(),
    images: parts.filter(isImage),
    rounds: since.filter(({ content }) => content.some(isCall)).length,
    results: results.map(({ callId, content }) => ({ name: names.get(callId) ?? 'unknown', content })),
  };
}

/** Split where a call, or any other step, follows; not inside of the arguments, which may hold the same words. */
function stepsOf(question) {
  const steps = [];
  const inWords = question.replace(
    /^Add a note: (.+)$/,
    (_, text) => `call add_note ${JSON.stringify({ name: 'plan', text })}`,
  );
  for (const next of inWords.split(/\s+then\s+|\s*\n\s*(?=call\s)/)) {
    if (steps.length > 0 && isOpen(steps.at(-1))) steps.push(`${steps.pop()} then ${next}`);
    else steps.push(next);
  }
  return steps;
}

const isOpen = text => (text.match(/\{/g) ?? []).length > (text.match(/\}/g) ?? []).length;

/** Each `call <tool> {json}` of a step, for tools that are offered. */
function callsOf(step, tools) {
  return step.split(/\band\s+(?=call\s)/).flatMap(text => {
    const [, wanted, json] = /\bcall\s+(\S+)\s*(\{[\s\S]*\})?/.exec(text) ?? [];
    const tool =
      wanted && (tools.find(({ name }) => name === wanted) ?? tools.find(({ name }) => name.endsWith(`_${wanted}`)));
    if (!tool) return [];
    try {
      return [{ name: tool.name, input: JSON.parse(json ?? '{}') }];
    } catch {
      return []; // not JSON: an ordinary sentence with the word "call" in it
    }
  });
}

function report(results) {
  if (results.length === 1 && !outcomeOf(results[0])) {
    return `The tool answered: ${oneLine(textOf(results[0].content))}${told(results[0].content.filter(isImage))}`;
  }
  return results.map(line).join('\n\n');
}

function line(result) {
  const outcome = outcomeOf(result);
  const text = oneLine(textOf(result.content));
  return `${result.name}${outcome ? ` ${outcome}` : ''}: ${text}${told(result.content.filter(isImage))}`;
}

/** How the extension begins the text of such results. */
function outcomeOf({ content }) {
  const text = textOf(content);
  if (text.startsWith('The tool failed:')) return 'failed';
  return text.startsWith('Denied:') ? 'denied' : undefined;
}

function told(images) {
  const each = images.map(({ mimeType, data }) => `${mimeType} of ${data.byteLength} bytes`);
  return images.length > 0 ? ` [${images.length} images: ${each.join(', ')}]` : '';
}

/** Ends when it is cancelled: no test has to wait for all of it. */
function slowly(say, token) {
  return new Promise(resolve => {
    let count = 0;
    const end = () => {
      clearInterval(timer);
      cancelled.dispose();
      resolve();
    };
    const timer = setInterval(() => (++count > 600 ? end() : say(`${count} `)), 100);
    const cancelled = token.onCancellationRequested(end);
    say('Slowly: ');
  });
}

function refuseTooMuch(messages, maxInputTokens) {
  const tokens = messages.reduce((sum, { content }) => sum + tokensOf(textOf(content)), 0);
  if (tokens > maxInputTokens) throw new Error(`${tokens} tokens are more than this model takes, ${maxInputTokens}.`);
}

function outline({ role, content }) {
  const kinds = content.map(part => {
    if (isCall(part)) return `call ${part.name}`;
    if (isResult(part)) return `result of ${textOf(part.content).length} characters`;
    return isImage(part) ? `image ${part.mimeType}` : `text of ${textOf([part]).length} characters`;
  });
  return `${role === vscode.LanguageModelChatMessageRole.User ? 'user' : 'assistant'}: ${kinds.join(', ')}`;
}

const isCall = part => part instanceof vscode.LanguageModelToolCallPart;
const isResult = part => part instanceof vscode.LanguageModelToolResultPart;
const isImage = part => part instanceof vscode.LanguageModelDataPart && part.mimeType.startsWith('image/');
const tokensOf = text => Math.ceil(text.length / 4);

/** All text, also that in results. */
const textOf = parts =>
  parts
    .map(part => {
      if (part instanceof vscode.LanguageModelTextPart) return part.value;
      if (isResult(part)) return textOf(part.content);
      return typeof part === 'string' ? part : '';
    })
    .join('');

function oneLine(text) {
  const oneLine = text.replace(/\s+/g, ' ').trim();
  return oneLine.length > 300 ? `${oneLine.slice(0, 300)}…` : oneLine;
}
