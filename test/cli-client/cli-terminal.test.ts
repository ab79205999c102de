import { describe, expect, it } from 'vitest'
import { printTable } from '../../packages/cli/src/output/print-table.ts'
import { createTerminal } from '../../packages/cli/src/output/terminal.ts'

function terminalOf(env: Record<string, string> = {}, columns?: number) {
  const written = { stdout: '', stderr: '' }
  const stream = (name: keyof typeof written) => ({
    write: (text: string | Uint8Array) => {
      written[name] += text
    },
    ...(columns !== undefined && { isTTY: true, columns }),
  })
  return { written, terminal: createTerminal({ stdout: stream('stdout'), stderr: stream('stderr'), env }) }
}

describe('a terminal', () => {
  it('has colors unless the user does not want them', () => {
    expect(terminalOf({}, 80).terminal.hasColor).toBe(true)
    expect(terminalOf({}).terminal.hasColor).toBe(false)
    expect(terminalOf({ NO_COLOR: '1' }, 80).terminal.hasColor).toBe(false)
    expect(terminalOf({ TERM: 'dumb' }, 80).terminal.hasColor).toBe(false)
    expect(terminalOf({ FORCE_COLOR: '1' }).terminal.hasColor).toBe(true)
    expect(terminalOf({ FORCE_COLOR: '0' }, 80).terminal.hasColor).toBe(false)
    expect(terminalOf({ FORCE_COLOR: '1', NO_COLOR: '1' }).terminal.hasColor).toBe(false)
  })

  it('prints no secret and no control character in messages, and replaces no line without a terminal', () => {
    const { terminal, written } = terminalOf()
    terminal.hide('s3cret')
    terminal.status('never seen')
    terminal.message('key s3cret\u001b[2J')
    expect(written.stderr).toBe('key [API key]\\u001b[2J\n')
  })
})

describe('a table', () => {
  const rows = [
    ['1', 'a long text that does not fit on this line', null],
    ['2', '日本語のテキストですよね', 'x\ty'],
  ]

  it('fits on the terminal, also with characters of double width', () => {
    const { terminal, written } = terminalOf({ NO_COLOR: '1' }, 30)
    printTable(terminal, ['ID', 'TEXT', 'NOTE'], rows)
    const [header, first, second] = written.stdout.split('\n')
    expect(header).toBe('ID  TEXT                  NOTE')
    expect(first).toBe('1   a long text that do…')
    expect(second).toBe('2   日本語のテキストで…   x\\ty')
  })

  it('loses nothing in a pipe: one line per row, one tab per column', () => {
    const { terminal, written } = terminalOf()
    printTable(terminal, ['ID', 'TEXT', 'NOTE'], rows)
    const lines = written.stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\t'))
    expect(lines).toEqual([
      ['ID', 'TEXT', 'NOTE'],
      ['1', 'a long text that does not fit on this line', ''],
      ['2', '日本語のテキストですよね', 'x\\ty'],
    ])
  })
})
