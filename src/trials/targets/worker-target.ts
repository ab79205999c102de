import { badRequest } from '../../base/errors.ts'
import type { GivenTarget } from './given-target.ts'

/** Programs of the user fetch the calls of a queue and return the outputs. */
export type WorkerTarget = { type: 'worker'; queue: string }

export function readWorkerTarget({ queue, ...given }: GivenTarget, place: string): WorkerTarget {
  if (queue === undefined) {
    throw badRequest(
      `The field ${place}.target.queue is missing: a target of type worker needs the name of the queue that your workers ask for`,
    )
  }
  const [other] = Object.entries(given).filter(([name, value]) => name !== 'type' && value !== undefined)
  if (other) throw badRequest(`The field ${place}.target.${other[0]} belongs to targets of type prompt; leave it out`)
  return { type: 'worker', queue }
}
