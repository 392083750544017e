// The editor's own chat without an account: what is asked goes to the chosen model with every tool of an MCP server, and
// its calls are run by the editor, which asks the person as it would for its own agent.
const vscode = require('vscode');

const MAX_ROUNDS = 10;

exports.activate = context => {
  context.subscriptions.push(vscode.chat.createChatParticipant('mcp-host-test.agent', answer));
};

async function answer(request, _context, stream, token) {
  const { LanguageModelChatMessage, LanguageModelToolCallPart, LanguageModelToolResultPart } = vscode;
  const messages = [LanguageModelChatMessage.User(request.prompt)];
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const tools = vscode.lm.tools
      .filter(({ name }) => /^mcp(_|Host_)/.test(name))
      .map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
    const response = await request.model.sendRequest(messages, { tools }, token);
    const calls = [];
    for await (const part of response.stream) {
      if (part instanceof LanguageModelToolCallPart) calls.push(part);
      else if (part instanceof vscode.LanguageModelTextPart) stream.markdown(part.value);
    }
    if (calls.length === 0) return;
    messages.push(LanguageModelChatMessage.Assistant(calls));
    const results = [];
    for (const { callId, name, input } of calls) {
      results.push(new LanguageModelToolResultPart(callId, await run(name, input, request, token)));
    }
    messages.push(LanguageModelChatMessage.User(results));
  }
}

async function run(name, input, { toolInvocationToken }, token) {
  try {
    return (await vscode.lm.invokeTool(name, { input, toolInvocationToken }, token)).content;
  } catch (error) {
    return [new vscode.LanguageModelTextPart(`The tool failed: ${error.message}`)];
  }
}
