const written = new Set<string>()

/** Writes a problem to stderr, each once: neither tracing nor a cache may stop a program or fill its log. */
export function warnOnce(message: string): void {
  if (written.has(message)) return
  written.add(message)
  process.stderr.write(`touchstone: ${message}\n`)
}
