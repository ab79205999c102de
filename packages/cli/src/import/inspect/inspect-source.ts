/** Inspect AI: logs as JSON. */
import { CliError } from '../../cli-error.ts'
import { EXIT } from '../../exit-code-values.ts'
import { readInput } from '../../read-input.ts'
import type { ImportFlags, ImportSource } from '../run-import.ts'
import { fieldsOf, isFields, listOf, parseJsonRecords, shorten, textOf } from '../source-values.ts'
import { type InspectLog, mapLog } from './map-log.ts'

export const inspectSource: ImportSource<ImportFlags & { dataset?: string }> = {
  name: 'inspect',
  async *read({ context, flags, args }) {
    for (const file of args) yield* mapLog(readLog(await readInput(context, file), { file, dataset: flags.dataset }))
  },
}

/** The first bytes of a ZIP file, which the format `.eval` is. */
const ZIP = 'PK\u0003\u0004'

function readLog(content: Buffer, { file, dataset }: { file: string; dataset: string | undefined }): InspectLog {
  if (content.subarray(0, ZIP.length).toString('latin1') === ZIP) {
    throw new CliError(
      `${file} is a log in the binary format. Convert it: inspect log convert ${file} --to json --output-dir logs-json`,
      EXIT.usage,
    )
  }
  const log = fieldsOf(parseLog(content.toString('utf8'), file))
  const evaluation = fieldsOf(log['eval'])
  if (!textOf(evaluation['task'])) throw new CliError(`${file} is not a log of Inspect.`, EXIT.usage)
  const samples = listOf(log['samples']).filter(isFields)
  if (samples.length === 0) {
    throw new CliError(`${file} has no samples: it was written with --no-log-samples, or is only a header.`, EXIT.usage)
  }
  const named = textOf(fieldsOf(evaluation['dataset'])['name']) ?? textOf(evaluation['task']) ?? 'Inspect'
  return { evaluation, samples, results: fieldsOf(log['results']), dataset: dataset ?? shorten(named, 200) }
}

/** Scores may be NaN, which Inspect writes although JSON does not have it. Only then is the text changed: messages may contain it, too. */
function parseLog(text: string, file: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return parseJsonRecords(text.replace(/("\s*:\s*)-?(?:NaN|Infinity)(?=\s*[,}])/g, '$1null'), file)[0]
  }
}
