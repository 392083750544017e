// Stands in for the native @vscode/spdlog, which would need a compiler: it writes the output channels and log files.
// Each export is an assignment to `exports.x`, because VS Code import()s this file and Node must find the names.
const fs = require('node:fs');
const path = require('node:path');

const levels = ['trace', 'debug', 'info', 'warning', 'error', 'critical', 'off'];
const timestamp = () => {
  const now = new Date();
  return new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString().replace('T', ' ').slice(0, -1);
};

class Logger {
  level = 2;
  raw = false;

  constructor(_type, _name, file) {
    this.file = file;
    fs.mkdirSync(path.dirname(file), { recursive: true });
    this.append('');
  }

  append(text) {
    try {
      fs.appendFileSync(this.file, text);
    } catch {
      // The log folder is removed while the last lines are still coming.
    }
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
  flush() {}
  drop() {}
}

const create = async (name, file) => new Logger('', name, file);

exports.version = 0;
exports.setLevel = () => {};
exports.setFlushOn = () => {};
exports.Logger = Logger;
exports.createRotatingLogger = create;
exports.createAsyncRotatingLogger = create;
