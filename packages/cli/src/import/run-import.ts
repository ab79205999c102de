/**
 * The command behind every source: reads its records, stores them, and reports. Interrupted anywhere, it is completed by running it again,
 * because everything is looked up before it is sent.
 */
import type { Component } from 'touchstone-sdk'
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
    const component = await openComponent(this, session, flags, tally)
    const target: ImportTarget = {
      client: session.client,
      component,
      source: source.name,
      isDryRun: flags.dryRun ?? false,
      signal: this.signal,
      tally,
      datasets: new Map(),
      runs: new Map(),
      traceIds: new Set(),
    }
    const progress = startProgressLine(this.terminal, `Importing from ${source.name}`)
    try {
      await storeRecords(target, source.read({ context: this, flags, args }), () =>
        progress.update(`Importing from ${source.name}: ${tally.summary()}`),
      )
    } catch (error) {
      progress.end()
      this.terminal.message(`Interrupted after ${tally.summary()}. The same command continues.`)
      throw error
    } finally {
      progress.end()
    }
    const { isDryRun } = target
    const report = { source: source.name, dryRun: isDryRun, component: component.name, ...tally.report() }
    printImport(this.terminal, report, flags)
  }
}

/** An import is often the first thing in an application, so the component need not exist. */
async function openComponent(
  { signal }: CliContext,
  { client, project }: Session,
  { component, dryRun }: ImportFlags,
  tally: ImportTally,
): Promise<{ id: string | undefined; name: string }> {
  const name = component ?? project?.component
  if (name === undefined) {
    throw new CliError('Which component? Pass --component, or set component in touchstone.yaml.', EXIT.usage)
  }
  const found: Component | undefined = await findComponent(client, name, signal).catch((error: unknown) => {
    if (error instanceof NameNotFoundError) return undefined
    throw error
  })
  if (found) return found
  tally.created('components')
  if (dryRun) return { id: undefined, name }
  const { id } = await client.components.create({ name }, { signal })
  return { id, name }
}
