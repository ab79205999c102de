import type { NewTrace } from 'touchstone-sdk'
import type { CliContext, CommonFlags } from '../cli-context.ts'
import { CliError } from '../cli-error.ts'
import { EXIT } from '../exit-code-values.ts'
import { openSettings } from '../open-settings.ts'
import { printableJson } from '../output/escape-text.ts'
import { errorOf, sendRaw } from '../raw-request.ts'
import { readInput } from '../read-input.ts'
import { openSession } from '../session.ts'
import { requireKey } from '../settings/resolve-settings.ts'
import { readTraceFile } from '../trace-file.ts'

const TRACES = '/components/{componentId}/traces'

/** Sends the traces of a file. Sending the same again changes nothing if the traces have ids. */
export async function pushTraces(
  this: CliContext,
  flags: CommonFlags & { component?: string },
  file: string,
): Promise<void> {
  const batches = readTraceFile((await readInput(this, file)).toString('utf8'), file)
  const sent = { traces: 0, spans: 0, rejectedSpans: 0 }
  const { terminal } = this
  const sendNative = nativeSender(this, flags)
  for (const [index, batch] of batches.entries()) {
    terminal.status(`Sending request ${index + 1} of ${batches.length}`)
    try {
      if (batch.kind === 'native') sent.traces += await sendNative(batch.traces)
      else {
        const rejected = await sendOtlp(this, flags, batch.body)
        sent.spans += countSpans(batch.body)
        sent.rejectedSpans += rejected.count
        if (rejected.count > 0) terminal.message(`${rejected.count} spans were rejected: ${rejected.reason}`)
      }
    } catch (error) {
      if (index > 0) terminal.message(`${index} of ${batches.length} requests had succeeded.`)
      throw error
    }
  }
  if (flags.json) terminal.data(`${printableJson(sent)}\n`)
  const [count, word] = sent.traces > 0 ? [sent.traces, 'trace'] : [sent.spans - sent.rejectedSpans, 'span']
  terminal.message(`Sent ${count} ${word}${count === 1 ? '' : 's'}.`)
  if (sent.rejectedSpans > 0) throw new CliError(`${sent.rejectedSpans} spans were rejected.`, EXIT.unexpected)
}

/** The component is looked up with the first request and not with each of them. */
function nativeSender(context: CliContext, flags: CommonFlags & { component?: string }) {
  const open = async () => {
    const { client, component } = await openSession(context, flags)
    return { client, componentId: (await component(flags.component)).id }
  }
  let target: ReturnType<typeof open> | undefined
  return async (traces: Record<string, unknown>[]): Promise<number> => {
    target ??= open()
    const { client, componentId } = await target
    // The server checks them, with a message that names the field.
    const body = { traces: traces as NewTrace[] }
    await client.request('POST', TRACES, { params: { componentId }, body, signal: context.signal })
    return traces.length
  }
}

async function sendOtlp(context: CliContext, flags: CommonFlags, body: Record<string, unknown>) {
  const opened = await openSettings(context, flags)
  const apiKey = requireKey(opened.settings)
  const { signal } = context
  const response = await sendRaw(opened, {
    method: 'POST',
    path: '/v1/traces',
    body: JSON.stringify(body),
    apiKey,
    signal,
  })
  if (!response.ok) throw await errorOf(response)
  const { partialSuccess }: { partialSuccess?: { rejectedSpans?: number | string; errorMessage?: string } } = Object(
    await response.json(),
  )
  return {
    count: Number(partialSuccess?.rejectedSpans ?? 0),
    reason: partialSuccess?.errorMessage ?? 'no reason given',
  }
}

function countSpans(body: Record<string, unknown>): number {
  let spans = 0
  for (const { scopeSpans } of objects(body['resourceSpans'])) {
    for (const scope of objects(scopeSpans)) spans += objects(scope['spans']).length
  }
  return spans
}

function objects(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'object' && one !== null) : []
}
