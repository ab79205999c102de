import { describe, expect, it } from 'vitest'
import { mapSpan } from '../../src/traces/semconv/map-span.ts'
import { mapMessages } from '../../src/traces/semconv/messages/map-messages.ts'
import { mapModelParameters } from '../../src/traces/semconv/model-parameters.ts'
import { readGoldenFiles, receivedSpan, writeGoldenFile } from './golden-spans.ts'

/**
 * One file per convention and instrumentation. `UPDATE_GOLDEN=1 vitest run test/mapping` rewrites what is expected (format it with biome); read the
 * difference before keeping it, for the files are what we promise.
 */
const isUpdating = process.env.UPDATE_GOLDEN === '1'

describe('spans of every convention', () => {
  it.each(readGoldenFiles())('$name maps to its golden file', ({ name, file }) => {
    const span = receivedSpan(file.span)
    const actual = JSON.parse(
      JSON.stringify({
        mapped: mapSpan(span),
        messages: mapMessages(span),
        modelParameters: mapModelParameters(span),
      }),
    )
    if (isUpdating) writeGoldenFile(name, { span: file.span, ...actual })
    else expect(actual).toEqual({ mapped: file.mapped, messages: file.messages, modelParameters: file.modelParameters })
  })
})
