import type { Logger } from '../base/log.ts'
import type { Mail, Mailer } from './mailer.ts'

export type MailOutbox = {
  /** Returns at once. `compose` runs later; if it returns undefined, nothing is sent. */
  add(kind: string, compose: () => Promise<Mail | undefined>): void
  /** Waits for the mails that are being sent. New ones are dropped. */
  close(): Promise<void>
}

export type MailOutboxDeps = { mailer: Mailer; log: Logger; sleep: (ms: number) => Promise<unknown> }

/** A mail server that does not respond must not fill the memory. */
const PENDING_MAX = 100
const RETRY_PAUSES_MS = [2_000, 10_000]
const CLOSE_TIMEOUT_MS = 5_000

/**
 * Sends mails in the background, so that requests neither wait for the mail server nor reveal by their duration whether there is
 * something to send. The outbox is in memory: a mail that is lost in a crash is requested again, and its link is not stored in plain text.
 */
export function createMailOutbox({ mailer, log, sleep }: MailOutboxDeps): MailOutbox {
  const pending = new Set<Promise<void>>()
  let isClosed = false

  async function deliver(kind: string, compose: () => Promise<Mail | undefined>): Promise<void> {
    try {
      const mail = await compose()
      if (!mail) return
      await sendWithRetries(kind, mail)
      log.info({ kind }, 'e-mail sent')
    } catch (error) {
      log.error({ err: error, kind }, 'the e-mail could not be sent')
    }
  }

  async function sendWithRetries(kind: string, mail: Mail): Promise<void> {
    for (const pauseMs of RETRY_PAUSES_MS) {
      try {
        return await mailer.send(mail)
      } catch (error) {
        // 5xx responses are permanent (RFC 5321, section 4.2.1).
        if (isClosed || responseCodeOf(error) >= 500) throw error
        log.warn({ err: error, kind }, 'the e-mail could not be sent; it will be tried again')
        await sleep(pauseMs)
      }
    }
    return mailer.send(mail)
  }

  return {
    add(kind, compose) {
      if (isClosed || pending.size >= PENDING_MAX) {
        log.error({ kind }, 'the e-mail was dropped: too many are waiting')
        return
      }
      const delivery = deliver(kind, compose).finally(() => pending.delete(delivery))
      pending.add(delivery)
    },
    async close() {
      isClosed = true
      const timeout = Promise.withResolvers<void>()
      const timer = setTimeout(timeout.resolve, CLOSE_TIMEOUT_MS)
      await Promise.race([Promise.all(pending), timeout.promise])
      clearTimeout(timer)
    },
  }
}

/** The code of the mail server; 0 if it did not respond. */
function responseCodeOf(error: unknown): number {
  return error instanceof Error && 'responseCode' in error ? Number(error.responseCode) : 0
}
