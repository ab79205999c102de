import { badRequest } from '../../base/errors.ts'
import { type GivenTarget, rejectOtherFields } from './given-target.ts'

/** Programs of the user fetch the calls of a queue and return the outputs. */
export type WorkerTarget = { type: 'worker'; queue: string }

export function readWorkerTarget(given: GivenTarget, place: string): WorkerTarget {
  const { queue } = given
  if (queue === undefined) {
    throw badRequest(
      `The field ${place}.target.queue is missing: a target of type worker needs the name of the queue that your workers ask for`,
    )
  }
  rejectOtherFields(given, place)
  return { type: 'worker', queue }
}
