import { SMTPServer } from 'smtp-server'

/** A mail as it arrived. `headers` are the lines before the first empty one, `text` and `html` the decoded parts. */
export type ReceivedMail = { from: string; recipients: string[]; headers: string; text: string; html: string }

export type MailServer = {
  url: string
  received: ReceivedMail[]
  /** The next mails are rejected with this code. */
  rejections: number[]
  close(): Promise<void>
}

export async function startMailServer(): Promise<MailServer> {
  const received: ReceivedMail[] = []
  const rejections: number[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, session, done) {
      const pieces: Buffer[] = []
      stream.on('data', (piece: Buffer) => pieces.push(piece))
      stream.on('end', () => {
        const code = rejections.shift()
        if (code !== undefined) return done(Object.assign(new Error('rejected by the test'), { responseCode: code }))
        const { mailFrom, rcptTo } = session.envelope
        received.push({
          ...readMail(Buffer.concat(pieces).toString('latin1')),
          from: mailFrom ? mailFrom.address : '',
          recipients: rcptTo.map(({ address }) => address),
        })
        done()
      })
    },
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  const address = server.server.address()
  const port = address && typeof address === 'object' ? address.port : 0
  return {
    url: `smtp://127.0.0.1:${port}`,
    received,
    rejections,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

function readMail(raw: string): { headers: string; text: string; html: string } {
  const headers = raw.slice(0, raw.indexOf('\r\n\r\n'))
  const boundary = /boundary="?([^";\r\n]+)/i.exec(headers)?.[1]
  const parts = boundary === undefined ? [] : raw.split(`--${boundary}`)
  const part = (type: string) => decodePart(parts.find((one) => one.includes(`Content-Type: ${type}`)) ?? '')
  return { headers, text: part('text/plain'), html: part('text/html') }
}

function decodePart(part: string): string {
  const end = part.indexOf('\r\n\r\n')
  const encoding = /Content-Transfer-Encoding: (\S+)/i.exec(part.slice(0, end))?.[1]?.toLowerCase()
  const body = part.slice(end + 4)
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8')
  if (encoding !== 'quoted-printable') return body
  const bytes = body
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString('utf8')
}
