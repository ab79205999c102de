/**
 * A virtual environment with the Python package as users get it: built as a wheel, installed with its dependencies from PyPI. What PyPI
 * provides is kept between test runs.
 */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

export const REPOSITORY = join(import.meta.dirname, '../..')
export const PACKAGE = join(REPOSITORY, 'packages/python')

const CACHE = join(REPOSITORY, 'node_modules/.cache/touchstone-python')
const IS_SUITABLE = 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 10))'

export type Output = { code: number; output: string; errors: string }
type RunOptions = { folder?: string; environment?: Record<string, string> }

export type PythonEnvironment = {
  /** The wheel and the source distribution. */
  packages: string[]
  wheel: string
  /** Runs a program of the environment, such as `pytest`. */
  run(program: string, words: string[], options?: RunOptions): Promise<Output>
  /** A new environment with nothing but the wheel and what it requires. */
  createBare(folder: string): Promise<PythonEnvironment['run']>
  remove(): void
}

/** The reason instead of an environment, if there is no Python or PyPI cannot be reached. */
export async function createPythonEnvironment(): Promise<PythonEnvironment | { missing: string }> {
  const suitable = await runProgram('python3', ['-c', IS_SUITABLE])
  if (suitable.code !== 0) return { missing: 'python3 3.10 or newer with venv is not installed' }
  const { output: version } = await runProgram('python3', ['--version'])
  const project = readFileSync(join(PACKAGE, 'pyproject.toml'), 'utf8')
  const key = createHash('sha256').update(version).update(project).digest('hex').slice(0, 16)
  const folder = join(CACHE, key)
  if (!existsSync(join(folder, 'complete'))) {
    const problem = await install(folder)
    if (problem !== undefined) return { missing: `the packages of PyPI could not be installed: ${problem}` }
  }
  return build(folder)
}

/** Runs the programs of a package of PyPI, with nothing else installed; or the reason why it could not be installed. */
export async function installFromPypi(requirement: string): Promise<PythonEnvironment['run'] | { missing: string }> {
  const folder = join(CACHE, requirement.replaceAll(/[^\w.]+/g, '-'))
  if (!existsSync(join(folder, 'complete'))) {
    const suitable = await runProgram('python3', ['-c', IS_SUITABLE])
    if (suitable.code !== 0) return { missing: 'python3 3.10 or newer with venv is not installed' }
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(dirname(folder), { recursive: true })
    const created = await runProgram('python3', ['-m', 'venv', folder])
    const installed =
      created.code === 0 ? await runProgram(join(folder, 'bin/pip'), ['install', '--quiet', requirement]) : created
    if (installed.code !== 0)
      return { missing: `${requirement} could not be installed: ${installed.errors.trim().split('\n').at(-1)}` }
    writeFileSync(join(folder, 'complete'), '')
  }
  return programsIn(folder)
}

async function install(folder: string): Promise<string | undefined> {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(dirname(folder), { recursive: true })
  for (const [program, ...words] of [
    ['python3', '-m', 'venv', folder],
    [join(folder, 'bin/pip'), 'install', '--quiet', 'hatchling>=1.27', `${PACKAGE}[test]`],
  ] as const) {
    const { code, errors } = await runProgram(program, words)
    if (code !== 0) return errors.trim().split('\n').at(-1) ?? `${program} failed`
  }
  writeFileSync(join(folder, 'complete'), '')
  return undefined
}

/** Builds the package as it is now, and installs it in place of the one that the environment has. */
async function build(folder: string): Promise<PythonEnvironment> {
  const target = mkdtempSync(join(tmpdir(), 'touchstone-python-'))
  const run = programsIn(folder)
  await succeed(run('python', ['-m', 'build', '--no-isolation', '--outdir', target, PACKAGE]))
  const packages = globSync('*.{whl,tar.gz}', { cwd: target }).map((name) => join(target, name))
  const wheel = packages.find((path) => path.endsWith('.whl')) ?? ''
  await succeed(run('pip', ['install', '--quiet', '--no-deps', '--force-reinstall', wheel]))
  return {
    packages,
    wheel,
    run,
    async createBare(bare) {
      await succeed(runProgram('python3', ['-m', 'venv', bare]))
      await succeed(runProgram(join(bare, 'bin/pip'), ['install', '--quiet', wheel]))
      return programsIn(bare)
    },
    remove: () => rmSync(target, { recursive: true, force: true }),
  }
}

function programsIn(folder: string): PythonEnvironment['run'] {
  return (program, words, { folder: cwd, environment } = {}) =>
    runProgram(join(folder, 'bin', program), words, {
      ...(cwd === undefined ? {} : { folder: cwd }),
      environment: { PATH: `${join(folder, 'bin')}:${process.env['PATH']}`, ...environment },
    })
}

export async function succeed(running: Promise<Output>): Promise<string> {
  const { code, output, errors } = await running
  if (code !== 0) throw new Error(`ended with ${code}: ${output}${errors}`)
  return output
}

function runProgram(program: string, words: readonly string[], options: RunOptions = {}): Promise<Output> {
  return new Promise((resolve) => {
    const { folder = tmpdir(), environment } = options
    const env = { ...withoutOwnSettings(), PYTHONDONTWRITEBYTECODE: '1', ...environment }
    execFile(program, words, { cwd: folder, env, maxBuffer: 64 << 20 }, (error, output, errors) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1
      resolve({ code, output, errors: errors === '' && error ? error.message : errors })
    })
  })
}

/** Settings of the caller's own server and of its OpenTelemetry must not reach the tests. */
function withoutOwnSettings(): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(TOUCHSTONE|OTEL_|PYTEST_)/.test(name)))
}
