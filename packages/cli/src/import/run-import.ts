/**
 * The command behind every source: reads its records, stores them, and reports. Interrupted anywhere, it is completed by running it again,
 * because everything is looked up before it is sent.
 */
import { findComponent, NameNotFoundError } from 'touchstone-sdk/client'
import type { CliContext, CommonFlags } from '../cli-context.ts'
import { CliError } from '../cli-error.ts'
import { EXIT } from '../exit-code-values.ts'
import { startProgressLine } from '../output/progress-line.ts'
import { openSession, type Session } from '../session.ts'
import type { ImportRecord } from './import-record.ts'
import { type ImportTally, printImport, startTally } from './import-report.ts'
import type { ImportTarget } from './import-target.ts'
import { storeRecords } from './store-records.ts'

export interface ImportFlags extends CommonFlags {
  component?: string
  dryRun?: boolean
}

export interface SourceInput<Flags extends ImportFlags> {
  context: CliContext
  flags: Flags
  /** The files, or the address of a server. */
  args: readonly string[]
}

export interface ImportSource<Flags extends ImportFlags = ImportFlags> {
  /** Part of the identity of items: it must never change. */
  name: string
  read(input: SourceInput<Flags>): AsyncIterable<ImportRecord>
}

export function importCommand<Flags extends ImportFlags>(source: ImportSource<Flags>) {
  return async function (this: CliContext, flags: Flags, ...args: string[]): Promise<void> {
    const session = await openSession(this, flags)
    const tally = startTally()
    const found = await findTarget(this, session, flags)
    const records = source.read({ context: this, flags, args })[Symbol.asyncIterator]()
    // A source that cannot be read must leave nothing behind, not even the component.
    const first = await records.next()
    const component = await openComponent(this, session, found, { dryRun: flags.dryRun ?? false, tally })
    const target: ImportTarget = {
      client: session.client,
      component,
      source: source.name,
      isDryRun: flags.dryRun ?? false,
      signal: this.signal,
      tally,
      datasets: new Map(),
      runs: new Map(),
      prompts: new Map(),
      traceIds: new Set(),
    }
    const progress = startProgressLine(this.terminal, `Importing from ${source.name}`)
    try {
      await storeRecords(target, startingWith(first, records), () =>
        progress.update(`Importing from ${source.name}: ${tally.summary()}`),
      )
    } catch (error) {
      progress.end()
      const isInvalid = error instanceof CliError && error.exitCode === EXIT.usage
      if (!isInvalid) this.terminal.message(`Interrupted after ${tally.summary()}. The same command continues.`)
      throw error
    } finally {
      progress.end()
    }
    const { isDryRun } = target
    const report = { source: source.name, dryRun: isDryRun, component: component.name, ...tally.report() }
    printImport(this.terminal, report, flags)
  }
}

async function* startingWith(
  first: IteratorResult<ImportRecord>,
  rest: AsyncIterator<ImportRecord>,
): AsyncGenerator<ImportRecord> {
  for (let result = first; !result.done; result = await rest.next()) yield result.value
}

interface FoundComponent {
  /** Undefined if there is none with this name. */
  id: string | undefined
  name: string
}

async function findTarget(
  { signal }: CliContext,
  { client, project }: Session,
  { component }: ImportFlags,
): Promise<FoundComponent> {
  const name = component ?? project?.component
  if (name === undefined) {
    throw new CliError('Which component? Pass --component, or set component in touchstone.yaml.', EXIT.usage)
  }
  try {
    return await findComponent(client, name, signal)
  } catch (error) {
    if (error instanceof NameNotFoundError) return { id: undefined, name }
    throw error
  }
}

/** An import is often the first thing in an application, so the component need not exist. */
async function openComponent(
  { signal }: CliContext,
  { client }: Session,
  found: FoundComponent,
  { dryRun, tally }: { dryRun: boolean; tally: ImportTally },
): Promise<FoundComponent> {
  if (found.id !== undefined) return found
  tally.created('components')
  if (dryRun) return found
  const { id } = await client.components.create({ name: found.name }, { signal })
  return { id, name: found.name }
}
