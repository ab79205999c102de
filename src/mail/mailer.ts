import type { MailSettings } from '../sign-in-config.ts'

export type Mail = { to: string; subject: string; text: string; html: string }

export type Mailer = {
  /** Rejects if the mail server does not accept the mail. */
  send(mail: Mail): Promise<void>
}

const CONNECT_TIMEOUT_MS = 10_000
const SOCKET_TIMEOUT_MS = 20_000

/**
 * Sends mail by SMTP. The library is loaded by the first mail.
 *
 * Addresses are passed as objects and headers have no line breaks, so that no text can add recipients or headers.
 */
export function createMailer({ host, port, encryption, user, password, from }: MailSettings): Mailer {
  async function load() {
    const { createTransport } = await import('nodemailer')
    return createTransport(
      {
        host,
        port,
        secure: encryption === 'tls',
        // Otherwise an attacker in the network could remove the offer of STARTTLS and read the links.
        requireTLS: encryption === 'starttls',
        ...(user === undefined ? {} : { auth: { user, pass: password ?? '' } }),
        connectionTimeout: CONNECT_TIMEOUT_MS,
        greetingTimeout: CONNECT_TIMEOUT_MS,
        socketTimeout: SOCKET_TIMEOUT_MS,
        disableFileAccess: true,
        disableUrlAccess: true,
      },
      { from },
    )
  }
  let loading: ReturnType<typeof load> | undefined

  return {
    async send({ to, subject, text, html }) {
      loading ??= load()
      const transport = await loading
      // `Auto-Submitted` prevents replies of vacation programs (RFC 3834).
      const headers = { 'Auto-Submitted': 'auto-generated' }
      await transport.sendMail({ to: { name: '', address: to }, subject: oneLine(subject), text, html, headers })
    },
  }
}

function oneLine(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
}
