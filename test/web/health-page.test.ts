import { screen, within } from '@testing-library/dom'
import { describe, expect, it } from 'vitest'
import type { InstallationHealth, InstanceHealth, Role, WorkspaceUsage } from '../../web/src/api/generated/api.ts'
import { exampleOf } from './api-description.ts'
import { failed, onRequest, requestsOf } from './mock-api.ts'
import { heading, inSupport, openPage, signIn } from './open-page.ts'

const CHECKED_AT = '2026-11-16T12:00:00.000Z'

const INSTALLATION: InstallationHealth = {
  engine: 'sqlite',
  engineVersion: '3.53.0',
  databaseBytes: 4_700_000,
  searchIndex: { state: 'building', bytes: 1_000_000, spansBehind: 1_200 },
  process: {
    nodeVersion: '24.21.0',
    startedAt: CHECKED_AT,
    memoryBytes: 350_000_000,
    eventLoopUtilization: 0.213,
    windowSeconds: 5,
    worker: 'running',
  },
}

const HEALTHY: InstanceHealth = {
  ...exampleOf<InstanceHealth>('InstanceHealth'),
  version: '1.2.3',
  checkedAt: CHECKED_AT,
  scope: 'installation',
  jobs: [],
  ingest: { windowSeconds: 300, traces: 122, spansToday: 10_136, storedBytes: 315_000 },
  installation: INSTALLATION,
}

const USAGE: WorkspaceUsage = {
  resetsAt: CHECKED_AT,
  spansToday: { used: 10_136, limit: 20_000 },
  evaluationsToday: { used: 2, limit: null },
  storedBytes: { used: 315_000, limit: null },
}

function openHealth(health: object, usage: object = USAGE, role: Role = 'admin') {
  signIn(role)
  onRequest('GET /instance/health', health)
  onRequest('GET /workspace/usage', usage)
  return openPage(inSupport('settings/health'))
}

/** The facts of a section, as "name: value and note". */
async function factsOf(name: string) {
  const region = await screen.findByRole('region', { name })
  return [...region.querySelectorAll('dl > div')].map((fact) =>
    [...fact.children].map((part) => part.textContent).join(': '),
  )
}

describe('health page', () => {
  it('shows an admin of all applications the incoming data, the server and the versions', async () => {
    openHealth(HEALTHY)
    await screen.findByText('Everything works')
    expect(await factsOf('This application')).toEqual([
      'Traces, last 5 minutes: 12224 a minute',
      'Spans today (UTC): 10,136of 20,000',
      'Stored spans: 315 kBno quota',
      'Evaluations today (UTC): 2no quota',
    ])
    expect((await factsOf('This server')).slice(0, 5)).toEqual([
      'Database: 4.7 MBon disk, of all applications',
      'Search index: Catching up1,200 spans to go; searches are slower',
      'Jobs: Runningin this process',
      'Load: 21.3\u202f%busy, last 5 seconds',
      'Memory: 350 MBof the server process',
    ])
    expect(await factsOf('Versions')).toEqual(['Touchstone: 1.2.3', 'Database: sqlite 3.53.0', 'Node.js: 24.21.0'])
  })

  it('shows other admins only their application, with a note', async () => {
    openHealth({ ...HEALTHY, scope: 'application', installation: null })
    await screen.findByText(/^Admins of all applications of this server also see/)
    expect(screen.queryByRole('region', { name: 'This server' })).toBeNull()
    expect(await factsOf('Versions')).toEqual(['Touchstone: 1.2.3'])
  })

  it('lists jobs in words, and explains what to do about failed and waiting ones', async () => {
    openHealth({
      ...HEALTHY,
      jobs: [
        { kind: 'evaluation', state: 'failed', count: 3, oldestAt: CHECKED_AT },
        { kind: 'purge', state: 'queued', count: 1, oldestAt: '2026-11-16T11:48:00.000Z' },
        { kind: 'retention', state: 'queued', count: 1, oldestAt: '2026-11-16T11:56:00.000Z' },
      ],
    })
    await screen.findByText('Evaluations: 3 failed after all retries.')
    expect(screen.getByText('Open the evaluation: it has the reason, and can be retried.')).toBeTruthy()
    expect(screen.getByText('Deletion of data: the oldest job has waited 12 min 0 s.')).toBeTruthy()
    expect(screen.queryByText(/^Retention: the oldest/)).toBeNull()
    expect(screen.queryByText('Everything works')).toBeNull()
    const rows = within(screen.getByRole('table')).getAllByRole('row').slice(1)
    expect(rows.map((row) => row.textContent?.slice(0, 18))).toEqual([
      expect.stringMatching(/^Evaluationsfailed3/),
      expect.stringMatching(/^Deletion of dataq/),
      expect.stringMatching(/^Retentionqueued1/),
    ])
  })

  it.each([
    [{ worker: 'stalled' }, 'The server does not look for jobs.'],
    [{ eventLoopUtilization: 0.97 }, 'The server was busy 97 % of the last 5 seconds.'],
  ])('warns about %j', async (process, expected) => {
    openHealth({ ...HEALTHY, installation: { ...INSTALLATION, process: { ...INSTALLATION.process, ...process } } })
    await screen.findByText(expected)
    expect(screen.queryByText('Everything works')).toBeNull()
  })

  it('warns about a used quota, and names the setting that raises it', async () => {
    openHealth(HEALTHY, { ...USAGE, storedBytes: { used: 9, limit: 9 } })
    await screen.findByText(/TOUCHSTONE_QUOTA_STORED_BYTES/)
  })

  it.each(['viewer', 'editor'] as const)('does not request the state as %s, and says why', async (role) => {
    openHealth(HEALTHY, USAGE, role)
    await heading('Not for your role')
    expect(requestsOf('GET /instance/health')).toEqual([])
  })

  it('a state that could not be loaded is requested again', async () => {
    const user = openHealth(failed(429, 'Too many requests'))
    await screen.findByText('Too many requests')
    onRequest('GET /instance/health', HEALTHY)
    await user.click(screen.getByRole('button', { name: 'Retry' }))
    await screen.findByText('Everything works')
  })
})
