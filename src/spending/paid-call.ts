/**
 * Reserves the maximum cost of a call before it is sent, and settles the reservation: a call that was sent and got no answer is charged at
 * its maximum, one that was rejected or never sent costs nothing.
 */
import type { ChatEvent } from '../llm/chat.ts'
import { NotSentError } from '../llm/host-limits.ts'
import { ModelError, UNKNOWN_USAGE, type Usage } from '../llm/model-client.ts'
import type { Budget, CallSize, Cost, Reservation } from './budget.ts'

type Paid<Answer> = {
  /** `answerTokensMax` is what to send to the provider; undefined if nothing limits the cost. */
  call(answerTokensMax: number | undefined): Answer
  /** Gets the cost before the call returns or throws, unless it costs nothing. */
  onCost(cost: Cost): void
}

export async function paidCall<Answer extends { usage: Usage }>(
  budget: Budget,
  size: CallSize,
  { call, onCost }: Paid<Promise<Answer>>,
): Promise<Answer> {
  const reserved = await budget.reserve(size)
  let answer: Answer
  try {
    answer = await call(reserved.isLimited ? size.answerTokensMax : undefined)
  } catch (error) {
    await endFailed(reserved, error, onCost)
    throw error
  }
  onCost(await reserved.settle(answer.usage))
  return answer
}

/** An answer that is not read to its end is charged at its maximum. */
export async function* paidStream(
  budget: Budget,
  size: CallSize,
  { call, onCost }: Paid<AsyncIterable<ChatEvent>>,
): AsyncGenerator<ChatEvent> {
  const reserved = await budget.reserve(size)
  let isOpen = true
  try {
    for await (const event of call(reserved.isLimited ? size.answerTokensMax : undefined)) {
      if (event.type === 'end') {
        isOpen = false
        onCost(await reserved.settle(event.result.usage))
      }
      yield event
    }
  } catch (error) {
    if (isOpen) await endFailed(reserved, error, onCost)
    isOpen = false
    throw error
  } finally {
    if (isOpen) onCost(await reserved.settle(UNKNOWN_USAGE))
  }
}

async function endFailed(reserved: Reservation, error: unknown, onCost: (cost: Cost) => void): Promise<void> {
  if (error instanceof NotSentError) await reserved.release('not sent')
  else if (error instanceof ModelError && error.usage) onCost(await reserved.settle(error.usage))
  else await reserved.release('rejected')
}
