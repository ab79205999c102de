/**
 * A program that is asked to end stops its worker first, so that others get its calls at once and not after the end of their leases.
 */
import { beforeEndBySignal, endBySignal } from '../end-at-signal.ts'

export interface SignalStop {
  signal: AbortSignal
  /** The worker has ended, and with it the program if a signal came. */
  end(): Promise<void>
}

export function stopAtSignal(): SignalStop {
  const controller = new AbortController()
  let onEnded = () => {}
  const ended = new Promise<void>((resolve) => {
    onEnded = resolve
  })
  const forget = beforeEndBySignal('work', (name) => {
    controller.abort(new Error(`The program was ended by ${name}`))
    return ended
  })
  return {
    signal: controller.signal,
    async end() {
      forget()
      onEnded()
      await endBySignal()
    },
  }
}
