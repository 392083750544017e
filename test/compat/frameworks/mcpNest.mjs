import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Payload } from '@nestjs/microservices';
import { McpController, McpStrategy, StreamableHttpTransport, Tool } from '@rekog/mcp-nest';
import { z } from 'zod';

class Tools {
  echo({ text }) {
    return { content: [{ type: 'text', text }] };
  }
  slow() {
    return new Promise(() => {});
  }
}
// Decorators are functions: this is what a compiler makes of them.
const method = (name, ...decorators) => {
  const descriptor = Object.getOwnPropertyDescriptor(Tools.prototype, name);
  for (const decorate of decorators) decorate(Tools.prototype, name, descriptor);
};
Payload()(Tools.prototype, 'echo', 0);
method('echo', Tool({ name: 'echo', description: 'Returns the text', parameters: z.object({ text: z.string() }) }));
method('slow', Tool({ name: 'slow', description: 'Never ends', parameters: z.object({}) }));
McpController()(Tools);
const mcp = new McpStrategy({ name: 'example', version: '1.0.0', transports: [new StreamableHttpTransport()] });
class AppModule {}
Module({ controllers: [Tools] })(AppModule);
const app = await NestFactory.create(AppModule, { logger: false });
mcp.setHttpAdapter(app.getHttpAdapter());
app.connectMicroservice({ strategy: mcp });
await app.startAllMicroservices();
await app.listen(Number(process.env.PORT), '127.0.0.1');
