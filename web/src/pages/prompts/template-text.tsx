import type { PromptMessage } from '../../api/generated/api.ts'

/** As in the server: `{{name}}`, with or without spaces. */
const VARIABLE = /\{\{[ \t]*([A-Za-z_][A-Za-z0-9_]{0,63})[ \t]*\}\}/g

/** What begins like a variable and is none: it is sent to the model as it is. */
const OPEN_BRACES = /\{\{(?![ \t]*[A-Za-z_][A-Za-z0-9_]{0,63}[ \t]*\}\})[^\n{}]{0,40}(?:\}\})?/g

export const NAME_PATTERN = '[A-Za-z_][A-Za-z0-9_]{0,63}'

/** Each name once, in the order of their first use. */
export function templateNames(messages: readonly PromptMessage[]): { variables: string[]; placeholders: string[] } {
  const variables = new Set<string>()
  const placeholders = new Set<string>()
  for (const message of messages) {
    if ('placeholder' in message) placeholders.add(message.placeholder)
    else for (const [, name = ''] of message.content.matchAll(VARIABLE)) variables.add(name)
  }
  return { variables: [...variables], placeholders: [...placeholders] }
}

/** Texts in double braces that are no variables. */
export function brokenVariables(text: string): string[] {
  return [...text.matchAll(OPEN_BRACES)].map(([found]) => found.trim())
}

type Piece = { text: string; kind: 'text' | 'variable' | 'broken' }

function templatePieces(text: string): Piece[] {
  const found = [
    ...[...text.matchAll(VARIABLE)].map((match) => ({ match, kind: 'variable' as const })),
    ...[...text.matchAll(OPEN_BRACES)].map((match) => ({ match, kind: 'broken' as const })),
  ].sort((a, b) => a.match.index - b.match.index)
  const pieces: Piece[] = []
  let end = 0
  for (const { match, kind } of found) {
    if (match.index < end) continue
    pieces.push({ text: text.slice(end, match.index), kind: 'text' }, { text: match[0], kind })
    end = match.index + match[0].length
  }
  return [...pieces, { text: text.slice(end), kind: 'text' }]
}

/** A text with its variables marked. No padding and no other font, because an editor lies above it, letter on letter. */
export function TemplateText({ text }: { text: string }) {
  return templatePieces(text).map(({ text: piece, kind }, index) => {
    if (kind === 'text') return piece
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no identity but their position
      <mark key={index} className={`rounded-[3px] ${looks[kind]}`}>
        {piece}
      </mark>
    )
  })
}

const looks = {
  variable: 'bg-info-wash text-info',
  broken: 'bg-warn-wash text-warn underline decoration-wavy underline-offset-4',
}
