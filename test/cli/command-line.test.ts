import { describe, expect, it } from 'vitest'
import { runInProcess } from '../harness/command.ts'
import { runCommand } from '../harness/server-process.ts'

describe('a wrong command line', () => {
  it.each<[string, string]>([
    ['--port 8080', 'There is no option --port. It is a setting: PORT=… npm start'],
    ['serve --port=8080', 'There is no option --port. It is a setting: PORT=… npm start'],
    ['--database-url x', 'There is no option --database-url. It is a setting: DATABASE_URL=… npm start'],
    ['work --log-level debug', 'There is no option --log-level. It is a setting: TOUCHSTONE_LOG_LEVEL=… npm start'],
    ['8080', 'There is no command 8080. The port is a setting: PORT=8080 npm start'],
    ['PORT=8080', 'There is no command PORT=8080. Settings come first: PORT=8080 npm start'],
    ['sevre', 'There is no command sevre. Did you mean serve? `npm start -- help` lists the commands'],
    ['frobnicate', 'There is no command frobnicate. `npm start -- help` lists the commands'],
    [
      'serve --no-wroker',
      'There is no option --no-wroker. Did you mean --no-worker? `npm start -- help serve` lists the options',
    ],
    ['migrate --no-worker', 'There is no option --no-worker. `npm start -- help migrate` lists the options'],
    ['-x', 'There is no option -x. `npm start -- help serve` lists the options'],
    ['api-key create --name', 'The option --name needs a value. `npm start -- help api-key` lists the options'],
    [
      'serve --no-worker=1',
      'The option --no-worker does not accept a value. `npm start -- help serve` lists the options',
    ],
    ['serve now', 'The command serve does not accept the argument "now". Usage: npm start -- serve [--no-worker]'],
    ['migrate now', 'The command migrate does not accept the argument "now". Usage: npm start -- migrate'],
    ['rotate-key now', 'The command rotate-key does not accept the argument "now". Usage: npm start -- rotate-key'],
    ['backup', 'The command backup needs more arguments. Usage: npm start -- backup FILE'],
    ['backup a b', 'The command backup does not accept the argument "b". Usage: npm start -- backup FILE'],
    ['api-key', 'Use `api-key create`, `api-key list` or `api-key revoke KEY-ID`'],
    ['help nothing', 'There is no command nothing. `npm start -- help` lists the commands'],
  ])('%s gets a message with the correct command', async (words, message) => {
    expect(await runInProcess(words.split(' '))).toEqual({ code: 1, output: '', errors: `${message}\n` })
  })

  it('is the exit code of the process, and the message is on standard error', async () => {
    const { code, output, errors } = await runCommand(['frobnicate'])
    const message = 'There is no command frobnicate. `npm start -- help` lists the commands\n'
    expect({ code, output, errors }).toEqual({ code: 1, output: '', errors: message })
  })
})

describe('help', () => {
  it.each(['help', '--help', '-h'])('is listed for all commands by %s', async (word) => {
    const { code, output, errors } = await runInProcess([word])
    expect({ code, errors }).toEqual({ code: 0, errors: '' })
    for (const command of ['serve', 'work', 'migrate', 'api-key create', 'backup FILE', 'rotate-key'])
      expect(output).toContain(`npm start -- ${command}`)
    expect(output).toContain('PORT')
  })

  it.each(['serve', 'work', 'migrate', 'api-key', 'backup', 'rotate-key'])('describes %s', async (command) => {
    const asked = await runInProcess(['help', command])
    const option = await runInProcess([command, '--help'])
    expect(asked).toMatchObject({ code: 0, errors: '', output: expect.stringContaining(`npm start -- ${command}`) })
    expect(option.output).toBe(asked.output)
  })

  it('names the options of a command', async () => {
    const { output } = await runInProcess(['help', 'api-key'])
    expect(output).toMatch(/--name NAME .+\n(.+\n)+.*--application ID .+\n/)
  })
})
