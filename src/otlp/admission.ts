import { unavailable } from '../base/errors.ts'

export type Admission = {
  /** Tells how much memory the request holds now. Throws 503 if there is not that much left. */
  resize(bytes: number): void
  /** To be called when the request is over, however it ended. */
  release(): void
}

export type AdmissionLimits = { bytesMax: number; requestsMax: number }

/** How long to wait for one's turn, and what ends the waiting before: then it rejects with the reason of the signal. */
type Turn = { patienceMs: number; signal: AbortSignal }

export type Admissions = {
  /** Throws 503 when as much is under way as may be. */
  admit(bytes: number): Admission
  /** Waits until there is room, one after the other; rejects with 503 when that takes too long, or too many are there already. */
  admitInTurn(bytes: number, turn: Turn): Promise<Admission>
}

/**
 * Bounds what all requests together hold in memory. More than that is refused at once instead of waiting in a queue:
 * exporters keep what they could not send and try again, which is the better queue. Only who must ask for far more than
 * most requests need, because their size is not known before they have come, waits for the short time that others need it.
 */
export function createAdmission({ bytesMax, requestsMax }: AdmissionLimits): Admissions {
  let bytesHeld = 0
  let requestCount = 0
  const waiting: { bytes: number; enter(): void }[] = []

  function callNext(): void {
    for (let next = waiting[0]; next && bytesHeld + next.bytes <= bytesMax; next = waiting[0]) {
      waiting.shift()
      next.enter()
    }
  }

  function hold(bytes: number): Admission {
    let own = bytes
    bytesHeld += own
    return {
      resize(next) {
        if (next > own && bytesHeld - own + next > bytesMax) throw tooMuch()
        bytesHeld += next - own
        own = next
        callNext()
      },
      release() {
        bytesHeld -= own
        requestCount -= 1
        callNext()
      },
    }
  }

  function takeTurn(bytes: number, { patienceMs, signal }: Turn): Promise<Admission> {
    return new Promise((resolve, reject) => {
      const place = {
        bytes,
        // Holds at once and not when the promise is heard of: whoever is next in the queue must see it.
        enter: () => {
          end()
          resolve(hold(bytes))
        },
      }
      const leave = (reason: unknown) => {
        end()
        waiting.splice(waiting.indexOf(place), 1)
        requestCount -= 1
        reject(reason)
        // Somebody with a smaller request may have stood behind.
        callNext()
      }
      const onAbort = () => leave(signal.reason)
      const patience = setTimeout(() => leave(tooMuch()), patienceMs)
      const end = () => {
        clearTimeout(patience)
        signal.removeEventListener('abort', onAbort)
      }
      signal.addEventListener('abort', onAbort)
      waiting.push(place)
      callNext()
    })
  }

  return {
    admit(bytes) {
      if (requestCount >= requestsMax || bytesHeld + bytes > bytesMax) throw tooMuch()
      requestCount += 1
      return hold(bytes)
    },
    async admitInTurn(bytes, turn) {
      turn.signal.throwIfAborted()
      if (requestCount >= requestsMax) throw tooMuch()
      requestCount += 1
      return takeTurn(bytes, turn)
    },
  }
}

function tooMuch() {
  return unavailable('More telemetry is arriving than can be stored at this moment; send this again later')
}
