/**
 * Runs the commands of documents the way a reader does: as a bash script that stops at the first error, and pasted into an interactive
 * zsh. The latter needs a terminal, because the differences that matter (comments, history, globs) exist only there.
 */
import { execFile, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type Shell = 'bash' | 'zsh'

/** Without zsh, only bash is tested and a warning says so; with REQUIRE_ZSH its tests fail instead. */
export const SHELLS: readonly Shell[] = hasZsh() || process.env['REQUIRE_ZSH'] ? ['bash', 'zsh'] : ['bash']
if (SHELLS.length === 1) console.warn('\n  !! Not tested in zsh, because zsh or script(1) is not installed.\n')

export type ShellOptions = { folder?: string; environment?: Record<string, string> }

export type Pasted = { output: string; errors: string }

/** Pastes one block after another, each when the one before has finished. */
export async function paste(shell: Shell, blocks: readonly string[], options: ShellOptions = {}): Promise<Pasted> {
  return shell === 'bash' ? runInBash(blocks, options) : pasteIntoZsh(blocks, options)
}

function hasZsh(): boolean {
  return ['zsh', 'script'].every((program) => spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0)
}

/** Less than the timeout of a test, so that no shell outlives its test. Only there to end one that hangs. */
const TIMEOUT_MS = 280_000

function runInBash(blocks: readonly string[], { folder, environment }: ShellOptions): Promise<Pasted> {
  return new Promise((resolve) => {
    const words = ['--norc', '--noprofile', '-eu', '-c', blocks.join('\n')]
    const env = { PATH: process.env['PATH'] ?? '', ...environment }
    execFile('bash', words, { cwd: folder, env, timeout: TIMEOUT_MS }, (_, output, errors) =>
      resolve({ output, errors }),
    )
  })
}

/** Written to the terminal before each prompt; nothing else contains it. */
const READY = '\u001b]touchstone-ready\u0007'

async function pasteIntoZsh(blocks: readonly string[], { folder, environment }: ShellOptions): Promise<Pasted> {
  const home = mkdtempSync(join(tmpdir(), 'touchstone-zsh-'))
  // The line editor has a descriptor of its own: of the two files, only the commands that were pasted write to them.
  const settings = [
    `precmd() { print -n '\\e]touchstone-ready\\a' > /dev/tty }`,
    `exec > ${join(home, 'output')} 2> ${join(home, 'errors')}`,
  ]
  writeFileSync(join(home, '.zshrc'), `${settings.join('\n')}\n`)
  const command = 'zsh -d -i'
  const words =
    process.platform === 'darwin' ? ['-q', '/dev/null', ...command.split(' ')] : ['-qec', command, '/dev/null']
  const child = spawn('script', words, {
    cwd: folder,
    env: { PATH: process.env['PATH'], TERM: 'xterm', ZDOTDIR: home, ...environment },
    timeout: TIMEOUT_MS,
    // The terminal goes with the process, and the shell with all that it runs is hung up on.
    killSignal: 'SIGKILL',
  })
  try {
    await new Promise<void>((resolve, reject) => {
      const waiting = blocks.map((block) => `\u001b[200~${block.trimEnd()}\u001b[201~\r`).concat('exit\r')
      let screen = ''
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        screen += text
        while (screen.includes(READY)) {
          screen = screen.slice(screen.indexOf(READY) + READY.length)
          child.stdin.write(waiting.shift() ?? '')
        }
      })
      child.once('error', reject)
      child.once('close', () => {
        if (waiting.length === 0) resolve()
        else reject(new Error(`zsh waited for more input, or ended early. On its screen: ${screen}`))
      })
    })
    return { output: readFileSync(join(home, 'output'), 'utf8'), errors: readFileSync(join(home, 'errors'), 'utf8') }
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}
