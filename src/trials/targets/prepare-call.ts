import { badRequest } from '../../base/errors.ts'
import { firstNames } from '../../base/text.ts'
import type { PreparedTry } from '../../playground/prepare-try.ts'
import { NO_ANSWERS, readRecordedAnswers } from '../../playground/recorded-answers.ts'
import type { Outcome } from '../../playground/run-try.ts'
import { promptRequest } from '../../prompts/calls/chat-request.ts'
import type { Queries } from '../../storage/db.ts'
import type { CallItem } from '../calls/call-item-queries.ts'
import { missingNames, type Variables, valuesOf } from '../item-variables.ts'
import type { OpenPrompt, PromptTarget } from './prompt-target.ts'

type Preparing = {
  workspaceId: string
  prompt: OpenPrompt
  target: PromptTarget
  variables: Variables
  itemId: string
  item: CallItem
}

/** A prompt may have thousands, and each of its calls stores the reason. */
const MISSING_MAX = 20

/** The request for an item. Throws 400 or 413 if the item does not fit the prompt. */
export async function prepareCall(
  q: Queries,
  { workspaceId, prompt, target, variables, itemId, item }: Preparing,
): Promise<PreparedTry> {
  const { content, source, model, name, version } = prompt
  const values = valuesOf(item, content.messages, variables)
  const missing = missingNames(content.messages, values)
  if (missing.length > 0)
    throw badRequest(
      `The item has no value for ${firstNames(missing, MISSING_MAX)}; map it in the "variables" of the trial, or add it to the input of the item`,
    )
  const { connection } = source
  const { request, notices } = promptRequest(content, values, { kind: connection.kind, name: connection.name, model })
  const isReplayed = target.tools === 'replay'
  const recorded = isReplayed ? await readRecordedAnswers(q, { workspaceId, traceRef: item.traceRef }) : NO_ANSWERS
  return {
    source,
    provider: connection.name,
    name,
    version,
    itemId,
    values,
    promptLength: request.messages.length,
    request,
    notices,
    toolAnswers: isReplayed ? 'recorded' : 'none',
    recorded,
  }
}

/** Why an answer is not the output of the call; undefined if it is. */
export function whyUnusable({ reason, error, openCalls }: Outcome, { tools }: PromptTarget): string | undefined {
  if (reason === 'cutOff' || reason === 'refused' || reason === 'failed') return error ?? 'The call failed'
  if (reason !== 'toolCalls' || tools === 'record') return undefined
  const [first] = openCalls
  const given = JSON.stringify(first?.arguments.slice(0, 200) ?? '')
  return `The trace of the item has no answer of the tool ${first?.name ?? ''} for the arguments ${given}; use "tools": "record" to accept calls of tools as the output`
}
