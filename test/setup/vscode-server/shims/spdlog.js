// Stands in for the native @vscode/spdlog, which would need a compiler: it writes the output channels and log files. Like that
// one, it writes what was logged in one turn at once, and holds up nobody line by line.
// Each export is an assignment to `exports.x`, because VS Code import()s this file and Node must find the names.
const fs = require('node:fs');
const path = require('node:path');

const waiting = new Set();
process.on('exit', () => {
  for (const logger of waiting) logger.flush();
});

const levels = ['trace', 'debug', 'info', 'warning', 'error', 'critical', 'off'];
const timestamp = () => {
  const now = new Date();
  return new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString().replace('T', ' ').slice(0, -1);
};

class Logger {
  level = 2;
  raw = false;
  pending = '';

  constructor(_type, _name, file) {
    this.file = file;
    fs.mkdirSync(path.dirname(file), { recursive: true });
    this.flush();
  }

  append(text) {
    this.pending += text;
    if (waiting.has(this)) return;
    waiting.add(this);
    setImmediate(() => this.flush());
  }

  log(level, message) {
    if (level >= this.level) this.append(this.raw ? message : `${timestamp()} [${levels[level]}] ${message}\n`);
  }

  trace(message) {
    this.log(0, message);
  }
  debug(message) {
    this.log(1, message);
  }
  info(message) {
    this.log(2, message);
  }
  warn(message) {
    this.log(3, message);
  }
  error(message) {
    this.log(4, message);
  }
  critical(message) {
    this.log(5, message);
  }
  getLevel() {
    return this.level;
  }
  setLevel(level) {
    this.level = level;
  }
  clearFormatters() {
    this.raw = true;
  }
  setPattern() {}
  flush() {
    waiting.delete(this);
    const text = this.pending;
    this.pending = '';
    try {
      fs.appendFileSync(this.file, text);
    } catch {
      // The log folder is removed while the last lines are still coming.
    }
  }
  drop() {}
}

const create = async (name, file) => new Logger('', name, file);

exports.version = 0;
exports.setLevel = () => {};
exports.setFlushOn = () => {};
exports.Logger = Logger;
exports.createRotatingLogger = create;
exports.createAsyncRotatingLogger = create;
