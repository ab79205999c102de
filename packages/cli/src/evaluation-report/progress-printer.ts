import type { EvaluationDetail } from 'touchstone-sdk'
import type { Terminal } from '../output/terminal.ts'

const LINE_MS = 10_000

/** Progress on one line of a terminal; elsewhere a line every ten seconds, so that a log shows that the job is alive. */
export function startProgress(terminal: Terminal): {
  update(progress: EvaluationDetail['progress']): void
  end(): void
} {
  let text = 'Evaluating'
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
    update({ total, done, failed, skipped }) {
      text = `Evaluating: ${done} of ${total} scores${failed > 0 ? `, ${failed} failed` : ''}${skipped > 0 ? `, ${skipped} skipped` : ''}`
      terminal.status(text)
    },
    end() {
      clearInterval(timer)
      terminal.status('')
    },
  }
}
