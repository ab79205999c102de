/** Helicone: what `npx @helicone/export` and the query of its API write, as JSON or JSON lines. */
import { basename } from 'node:path'
import { readInput } from '../../read-input.ts'
import type { ImportRecord } from '../import-record.ts'
import type { ImportFlags, ImportSource } from '../run-import.ts'
import { fieldsOf, parseJsonRecords } from '../source-values.ts'
import { isRequest, mapRequest } from './map-requests.ts'

export const heliconeSource: ImportSource<ImportFlags> = {
  name: 'helicone',
  async *read({ context, args }) {
    for (const file of args) {
      const text = (await readInput(context, file)).toString('utf8')
      for (const [index, record] of readRecords(text, file).entries()) {
        const fields = fieldsOf(record)
        if (isRequest(fields)) yield* mapRequest(fields)
        else {
          const what = `${basename(file)}, record ${index + 1}`
          yield { kind: 'notTaken', of: 'traces', what, reason: 'it has no request_id' } satisfies ImportRecord
        }
      }
    }
  },
}

/** The API wraps the list in `data`. */
function readRecords(text: string, file: string): unknown[] {
  return parseJsonRecords(text, file).flatMap((record) => {
    const { data } = fieldsOf(record)
    return Array.isArray(data) ? data : [record]
  })
}
