import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { waitForKey } from '../../packages/cli/src/device-flow.ts'
import { parseProjectFile } from '../../packages/cli/src/settings/project-file.ts'
import { resolveSettings } from '../../packages/cli/src/settings/resolve-settings.ts'
import { userFilePath, writeUserFile } from '../../packages/cli/src/settings/user-file.ts'
import { readTraceFile } from '../../packages/cli/src/trace-file.ts'

const SECRET = 'tsk_AbCd1234_0123456789012345678901234567890123456789'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'touchstone-cli-'))
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('touchstone.yaml', () => {
  it('is rejected with the line of everything that is wrong', () => {
    const text = 'component: Bot\ndatset: Questions\ngate:\n  margin: -1\nevaluators:\n  - 7\nsplit: all\n'
    expect(() => parseProjectFile(text, 'touchstone.yaml')).toThrow(
      [
        'touchstone.yaml:2: datset is unknown. Known: url, component, dataset, run, baseline, name, split, evaluators, gate, config',
        'touchstone.yaml:4: gate.margin must be at least 0',
        'touchstone.yaml:4: gate.metric is required',
        'touchstone.yaml:6: evaluators[0] must be a string or an object',
        'touchstone.yaml:7: split must be one of train, validation, test',
      ].join('\n'),
    )
    expect(() => parseProjectFile('a: [1\n', 'touchstone.yaml')).toThrow(/^touchstone.yaml:\d+: /)
    expect(() => parseProjectFile('- a\n', 'f')).toThrow('f:1: the file must be an object')
  })

  it('must not contain a key, and the message does not repeat it', () => {
    for (const text of [
      `apiKey: ${SECRET}`,
      `url: http://x\ntoken: abc`,
      `name: ${SECRET}`,
      `config:\n  note: ${SECRET}`,
    ]) {
      const read = () => parseProjectFile(text, 'touchstone.yaml')
      expect(read).toThrow(/must not be in this file/)
      expect(read).not.toThrow(SECRET)
    }
  })

  it('never fails with anything but a message for the user', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        try {
          parseProjectFile(text, 'f')
        } catch (error) {
          expect(error).toMatchObject({ name: 'CliError', exitCode: 2 })
        }
      }),
    )
  })

  it('is optional in everything', () => {
    expect(parseProjectFile('', 'f')).toEqual({ path: 'f' })
    const gate = { metric: 'correct', margin: 0.02 }
    expect(parseProjectFile('gate: {metric: correct, margin: 0.02}', 'f')).toEqual({ path: 'f', gate })
  })
})

describe('settings', () => {
  const read = (flags: { url?: string }, env: Record<string, string> = {}, url?: string) => {
    const warnings: string[] = []
    const project = url === undefined ? undefined : { path: 'touchstone.yaml', url }
    const settings = resolveSettings({
      flags,
      env: { XDG_CONFIG_HOME: folder, ...env },
      project,
      warn: (text) => warnings.push(text),
    })
    return { ...settings, warnings }
  }
  const store = (server: string) =>
    writeUserFile(userFilePath({ XDG_CONFIG_HOME: folder }), { url: server, servers: { [server]: { apiKey: SECRET } } })

  it('come from the flag, then the environment, then the project, then the file of the user', () => {
    store('http://stored')
    const env = { TOUCHSTONE_URL: 'http://environment/' }
    expect(read({ url: 'http://flag/api/v1/' }, env, 'http://project')).toMatchObject({
      url: 'http://flag',
      urlSource: '--url',
    })
    expect(read({}, env, 'http://project')).toMatchObject({ url: 'http://environment', urlSource: 'TOUCHSTONE_URL' })
    expect(read({}, {}, 'http://project')).toMatchObject({ url: 'http://project', urlSource: 'touchstone.yaml' })
    expect(read({})).toMatchObject({ url: 'http://stored', apiKey: SECRET })
    expect(read({}, { TOUCHSTONE_API_KEY: 'other' })).toMatchObject({
      apiKey: 'other',
      keySource: 'TOUCHSTONE_API_KEY',
    })
  })

  it('never send a stored key to another server that a project file names', () => {
    store('http://stored')
    expect(read({}, {}, 'http://evil')).toMatchObject({ url: 'http://evil', apiKey: undefined, keySource: 'none' })
  })

  it('are stored for their owner only, and it is reported if others can read them', () => {
    store('http://stored')
    const path = userFilePath({ XDG_CONFIG_HOME: folder })
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(read({}).warnings).toEqual([])
    chmodSync(path, 0o644)
    expect(read({}).warnings).toEqual([expect.stringContaining('chmod 600')])
    writeFileSync(path, '{"servers": 1}')
    expect(() => read({})).toThrow('is not a file of this program')
    expect(readFileSync(path, 'utf8')).toBe('{"servers": 1}')
  })

  it('reject addresses that are none', () => {
    for (const url of ['localhost:3000', 'ftp://x', 'http://user:secret@x']) {
      expect(() => read({ url })).toThrow(/The address of the server/)
      expect(() => read({ url })).not.toThrow('secret')
    }
  })
})

describe('the login by device', () => {
  const code = { deviceCode: 'd', userCode: 'U', uri: 'http://x', intervalSeconds: 5 }
  const wait = async (responses: (Response | Error)[]) => {
    const pauses: number[] = []
    const send = async () => {
      const next = responses.shift()
      if (next instanceof Error || !next) throw next ?? new Error('no more responses')
      return next
    }
    const settings = { url: 'http://x', urlSource: '', apiKey: undefined, keySource: '', stored: undefined }
    const sleep = async (ms: number) => void pauses.push(ms)
    const key = await waitForKey({ settings, project: undefined, send }, code, {
      signal: new AbortController().signal,
      sleep,
    })
    return { key, pauses }
  }
  const pending = (error: string) => Response.json({ error }, { status: 400 })

  it('waits longer when the server requests it, and continues after a failed connection', async () => {
    const granted = Response.json({ access_token: SECRET, key_id: 'k', role: 'editor', expires_in: 60 })
    const { key, pauses } = await wait([
      pending('authorization_pending'),
      new TypeError('fetch failed'),
      pending('slow_down'),
      granted,
    ])
    expect(pauses).toEqual([5000, 5000, 5000, 10_000])
    expect(key).toMatchObject({ apiKey: SECRET, keyId: 'k', role: 'editor', expiresAt: expect.any(String) })
  })

  it('stops when the code is denied, expired or used', async () => {
    await expect(wait([pending('access_denied')])).rejects.toMatchObject({
      message: 'The login was denied.',
      exitCode: 3,
    })
    await expect(wait([pending('expired_token')])).rejects.toMatchObject({ exitCode: 3 })
    await expect(wait([new Response('<html>', { status: 502 })])).rejects.toMatchObject({ exitCode: 5 })
  })
})

describe('a file of traces', () => {
  it('is read as JSON, as an array, as lines, and as OTLP', () => {
    const trace = { name: 'a' }
    for (const text of [
      '{"name":"a"}',
      '[{"name":"a"}]',
      '{"traces":[{"name":"a"}]}',
      '\n{"name":"a"}\r\n',
      '\ufeff{"name":"a"}',
    ]) {
      expect(readTraceFile(text, 'f')).toEqual([{ kind: 'native', traces: [trace] }])
    }
    const otlp = { resourceSpans: [] }
    const wide = {
      name: 'wide',
      spans: Array.from({ length: 500 }, (_, spanId) => ({ spanId, name: 'a', kind: 'llm' })),
    }
    // The server accepts 10,000 fields in a body.
    const requests = readTraceFile(JSON.stringify(Array(20).fill(wide)), 'f')
    expect(requests.map((one) => (one.kind === 'native' ? one.traces.length : 0))).toEqual([5, 5, 5, 5])
    expect(readTraceFile(`${JSON.stringify(otlp)}\n${JSON.stringify(otlp)}`, 'f')).toEqual([
      { kind: 'otlp', body: otlp },
      { kind: 'otlp', body: otlp },
    ])
  })

  it('is sent in requests of limited size, without losing a trace or changing the order', () => {
    const traces = Array.from({ length: 1201 }, (_, n) => ({ name: String(n) }))
    const batches = readTraceFile(traces.map((one) => JSON.stringify(one)).join('\n'), 'f')
    expect(batches.length).toBeGreaterThan(2)
    expect(batches.flatMap((batch) => (batch.kind === 'native' ? batch.traces : []))).toEqual(traces)
  })

  it('is rejected with the line that is wrong, before anything is sent', () => {
    expect(() => readTraceFile('{"name":"a"}\n{"name":', 'f.jsonl')).toThrow('f.jsonl:2: this line is not JSON.')
    expect(() => readTraceFile('{"name":"a"}\n7', 'f.jsonl')).toThrow('f.jsonl:2: a trace must be a JSON object.')
    expect(() => readTraceFile('[]', 'f.json')).toThrow('f.json contains no traces.')
  })
})
