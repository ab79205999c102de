import { type Clock, elapsedMs } from '../base/clock.ts'

const LINE_EVERY_MS = 10_000
const REDRAW_EVERY_MS = 100
const BAR_WIDTH = 24

export type Progress = { label: string; done: number; total: number }

type Output = { isTTY?: boolean; columns?: number; write(text: string): unknown }

/** Shows how far a command is: a bar on a terminal, elsewhere a line every ten seconds. */
export function createProgress(output: Output, clock: Clock): { show(progress: Progress): void; end(): void } {
  const isTerminal = output.isTTY === true
  const everyMs = isTerminal ? REDRAW_EVERY_MS : LINE_EVERY_MS
  let shownAt = isTerminal ? 0 : elapsedMs(clock)
  let isDrawn = false
  return {
    show(progress) {
      const isLast = isTerminal && progress.done === progress.total
      if (!isLast && elapsedMs(clock) - shownAt < everyMs) return
      shownAt = elapsedMs(clock)
      isDrawn = true
      // Shortened, because a line that wraps cannot be drawn again in its location.
      output.write(
        isTerminal ? `\r\x1b[K${bar(progress).slice(0, (output.columns ?? 80) - 1)}` : `${counts(progress)}\n`,
      )
    },
    end() {
      if (isTerminal && isDrawn) output.write('\r\x1b[K')
    },
  }
}

function bar(progress: Progress): string {
  const full = Math.floor((BAR_WIDTH * progress.done) / Math.max(1, progress.total))
  return `${'█'.repeat(full)}${'░'.repeat(BAR_WIDTH - full)} ${counts(progress)}`
}

function counts({ label, done, total }: Progress): string {
  return `${Math.floor((100 * done) / Math.max(1, total))} % (${done} of ${total} ${label})`
}
