/* A server as a bundle of the type "binary" has it: one program, one tool. It answers requests with a number as id. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char line[1 << 20];

static const char *result_of(const char *request) {
  if (strstr(request, "\"initialize\""))
    return "{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{\"tools\":{}},"
           "\"serverInfo\":{\"name\":\"bundled-binary\",\"version\":\"1\"}}";
  if (strstr(request, "\"tools/list\""))
    return "{\"tools\":[{\"name\":\"greet\",\"inputSchema\":{\"type\":\"object\"}}]}";
  return "{}";
}

int main(void) {
  while (fgets(line, sizeof line, stdin)) {
    const char *id = strstr(line, "\"id\":");
    if (!id) continue;
    printf("{\"jsonrpc\":\"2.0\",\"id\":%ld,\"result\":%s}\n", strtol(id + 5, NULL, 10), result_of(line));
    fflush(stdout);
  }
  return 0;
}
