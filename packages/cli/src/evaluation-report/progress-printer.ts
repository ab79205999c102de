import type { EvaluationDetail } from 'touchstone-sdk'
import { startProgressLine } from '../output/progress-line.ts'
import type { Terminal } from '../output/terminal.ts'

export function startProgress(terminal: Terminal): {
  update(progress: EvaluationDetail['progress']): void
  end(): void
} {
  const line = startProgressLine(terminal, 'Evaluating')
  return {
    update({ total, done, failed, skipped }) {
      line.update(
        `Evaluating: ${done} of ${total} scores${failed > 0 ? `, ${failed} failed` : ''}${skipped > 0 ? `, ${skipped} skipped` : ''}`,
      )
    },
    end: line.end,
  }
}
