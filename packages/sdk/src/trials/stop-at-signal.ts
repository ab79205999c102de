/**
 * A program that is asked to end stops its worker first, so that others get its calls at once and not after the end of their leases. A second
 * signal ends it immediately.
 */
const SIGNALS = ['SIGINT', 'SIGTERM'] as const

export interface SignalStop {
  signal: AbortSignal
  /** Ends the program by the signal that came, unless it has a listener of its own. */
  end(): void
}

export function stopAtSignal(): SignalStop {
  const controller = new AbortController()
  let received: NodeJS.Signals | undefined
  const onSignal = (name: NodeJS.Signals) => {
    received = name
    remove()
    controller.abort(new Error(`The program was ended by ${name}`))
  }
  const remove = () => {
    for (const name of SIGNALS) process.removeListener(name, onSignal)
  }
  for (const name of SIGNALS) process.on(name, onSignal)
  return {
    signal: controller.signal,
    end() {
      remove()
      // A listener turns off the end of the process. Programs with a listener of their own end it themselves.
      if (received && process.listenerCount(received) === 0) process.kill(process.pid, received)
    },
  }
}
