const written = new Set<string>()

/** Writes a problem of tracing to stderr, each once: tracing must neither stop a program nor fill its log. */
export function warnOnce(message: string): void {
  if (written.has(message)) return
  written.add(message)
  process.stderr.write(`touchstone: ${message}\n`)
}
