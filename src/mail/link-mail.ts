import type { Mail } from './mailer.ts'

type LinkMail = {
  to: string
  subject: string
  /** Plain text, one paragraph each. The link follows the first one. */
  paragraphs: readonly [string, ...string[]]
  link: string
  /** The text of the link in HTML. */
  action: string
}

/** A mail with one link, as plain text and as simple HTML: no images, no styles from elsewhere, nothing that reports its opening. */
export function linkMail({ to, subject, paragraphs, link, action }: LinkMail): Mail {
  const [first, ...others] = paragraphs
  const text = [first, link, ...others].join('\n\n')
  const html = [
    '<!doctype html><html lang="en"><body style="font-family:sans-serif;font-size:16px;line-height:1.5;color:#1a1a1a">',
    `<p>${escaped(first)}</p>`,
    `<p><a href="${escaped(link)}">${escaped(action)}</a></p>`,
    ...others.map((paragraph) => `<p>${escaped(paragraph)}</p>`),
    '</body></html>',
  ].join('\n')
  return { to, subject, text: `${text}\n`, html: `${html}\n` }
}

const NAME_LENGTH_MAX = 80

/**
 * A name that a user has chosen, for a mail to another user. An invisible space follows dots, colons and slashes, so that mail programs do not
 * turn the name into a link to a foreign site.
 */
export function nameInMail(name: string): string {
  const line = name.replace(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
  const short = [...line].slice(0, NAME_LENGTH_MAX).join('')
  return `“${short.replace(/([.:/])(?=\S)/g, '$1\u200b')}”`
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`)
}
