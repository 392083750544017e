const vscode = require('vscode');

exports.activate = context => {
  const participant = vscode.chat.createChatParticipant(
    'mcp-host-test.bare',
    async (request, _context, stream, token) => {
      const response = await request.model.sendRequest(
        [vscode.LanguageModelChatMessage.User(request.prompt)],
        {},
        token,
      );
      for await (const text of response.text) stream.markdown(text);
    },
  );
  context.subscriptions.push(participant);
};
