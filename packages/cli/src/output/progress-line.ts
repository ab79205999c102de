import type { Terminal } from './terminal.ts'

const LINE_MS = 10_000

export interface ProgressLine {
  update(text: string): void
  end(): void
}

/** Progress on one line of a terminal; elsewhere a line every ten seconds, so that a log shows that the job is alive. */
export function startProgressLine(terminal: Terminal, first: string): ProgressLine {
  let text = first
  const startedAt = Date.now()
  const timer = setInterval(
    () => {
      const elapsed = `${text}, ${Math.round((Date.now() - startedAt) / 1000)} s`
      if (terminal.isLive) terminal.status(elapsed)
      else terminal.message(elapsed)
    },
    terminal.isLive ? 1000 : LINE_MS,
  )
  return {
    update(next) {
      text = next
      terminal.status(text)
    },
    end() {
      clearInterval(timer)
      terminal.status('')
    },
  }
}
