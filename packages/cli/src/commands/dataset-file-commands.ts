import { writeFile } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import { findDataset, NameNotFoundError, requireDataset } from 'touchstone-sdk/client'
import type { CliContext, CommonFlags } from '../cli-context.ts'
import { CliError } from '../cli-error.ts'
import { EXIT } from '../exit-code-values.ts'
import { escapeLines, printableJson } from '../output/escape-text.ts'
import { readInput } from '../read-input.ts'
import { openSession, type Session } from '../session.ts'

const FORMATS = { csv: 'text/csv', jsonl: 'application/jsonl', json: 'application/json' } as const

type Format = keyof typeof FORMATS

interface FileFlags extends CommonFlags {
  component?: string
  dataset?: string
  format?: Format
}

interface ImportFlags extends FileFlags {
  create?: boolean
  dryRun?: boolean
  skipBad?: boolean
  skipDuplicates?: boolean
}

export async function importDataset(this: CliContext, flags: ImportFlags, file: string): Promise<void> {
  const session = await openSession(this, flags)
  const format = readFormat(flags, file)
  const content = (await readInput(this, file)).toString('utf8')
  const { componentId, datasetId } = await openDataset(this, session, flags).catch(withHint)
  const query = {
    dry_run: flags.dryRun ?? false,
    on_error: flags.skipBad ? 'skip' : 'fail',
    duplicates: flags.skipDuplicates ? 'skip' : 'keep',
    ...(file !== '-' && { file_name: basename(file) }),
  } as const
  const { signal, terminal } = this
  const upload = { content, type: FORMATS[format] }
  const result = await session.client.datasets.import(componentId, datasetId, upload, query, { signal })
  if (flags.json) terminal.data(`${printableJson(result)}\n`)
  if (!('bad' in result)) return
  const { rows, imported, bad, duplicates } = result
  for (const row of bad.rows) terminal.message(`${file}: ${JSON.stringify(row)}`)
  const skipped = duplicates.skipped > 0 ? `, ${duplicates.skipped} duplicates skipped` : ''
  const verb = flags.dryRun ? 'would be imported' : 'imported'
  terminal.message(`${imported} of ${rows} rows ${verb}, ${bad.count} bad${skipped}.`)
  if (bad.count > 0 && !flags.skipBad)
    throw new CliError('Nothing was imported. Pass --skip-bad to import the other rows.', EXIT.usage)
}

export async function exportDataset(this: CliContext, flags: FileFlags, file: string): Promise<void> {
  const session = await openSession(this, flags)
  const format = readFormat(flags, file)
  if (format === 'json') throw new CliError('Export as jsonl or csv.', EXIT.usage)
  const { componentId, datasetId } = await openDataset(this, session, flags)
  const text = await session.client.datasets.export(componentId, datasetId, { format }, { signal: this.signal })
  if (file === '-') this.terminal.data(this.terminal.isTerminal ? escapeLines(text) : text)
  else {
    await writeFile(file, text)
    this.terminal.message(`Exported to ${file}.`)
  }
}

async function openDataset(context: CliContext, { client, component, project }: Session, flags: ImportFlags) {
  const name = flags.dataset ?? project?.dataset
  if (name === undefined)
    throw new CliError('Which dataset? Pass --dataset, or set dataset in touchstone.yaml.', EXIT.usage)
  const { id: componentId } = await component(flags.component)
  const { signal } = context
  const { id: datasetId } = flags.create
    ? ((await findDataset(client, componentId, name, signal)) ??
      (await client.datasets.create(componentId, { name }, { signal })))
    : await requireDataset(client, componentId, name, signal)
  return { componentId, datasetId }
}

function withHint(error: unknown): never {
  if (!(error instanceof NameNotFoundError)) throw error
  throw new CliError(`${error.message} Pass --create to create it.`, EXIT.notFound)
}

function readFormat({ format }: FileFlags, file: string): Format {
  if (format !== undefined) return format
  const ending = extname(file).slice(1).toLowerCase()
  if (ending === 'ndjson') return 'jsonl'
  if (ending === 'csv' || ending === 'jsonl' || ending === 'json') return ending
  throw new CliError('The format is not known: pass --format csv, jsonl or json.', EXIT.usage)
}
