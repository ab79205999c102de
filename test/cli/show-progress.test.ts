import { describe, expect, it } from 'vitest'
import { createProgress } from '../../src/cli/show-progress.ts'

function outputOf(terminal: { isTTY: boolean; columns?: number }, seconds: readonly number[]): string[] {
  const written: string[] = []
  let now = 0
  const progress = createProgress({ ...terminal, write: (text) => written.push(text) }, { now: () => now })
  for (const [place, second] of seconds.entries()) {
    now = second * 1_000
    progress.show({ label: 'rows copied, at spans', done: place + 1, total: seconds.length })
  }
  progress.end()
  return written
}

describe('the progress of a command', () => {
  it('is a line every ten seconds without a terminal', () => {
    expect(outputOf({ isTTY: false }, [0, 5, 10, 19, 20])).toEqual([
      '60 % (3 of 5 rows copied, at spans)\n',
      '100 % (5 of 5 rows copied, at spans)\n',
    ])
  })

  it('is a bar on a terminal that never wraps, and is gone afterwards', () => {
    const written = outputOf({ isTTY: true, columns: 30 }, [1, 2])
    expect(written).toEqual([
      `\r\x1b[K${'█'.repeat(12)}${'░'.repeat(12)} 50 %`,
      `\r\x1b[K${'█'.repeat(24)} 100 `,
      '\r\x1b[K',
    ])
  })
})
