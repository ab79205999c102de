/** A few colors in code: comments, texts and the words of the language. It does not parse: it must not be wrong about the rest. */

type CodePart = { text: string; kind?: 'comment' | 'string' | 'word' }

const STRING = String.raw`"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'`
const HASH_COMMENT = String.raw`(?<=^|\s)#[^\n]*`
const SLASH_COMMENT = String.raw`(?<=^|\s)\/\/[^\n]*`

const LANGUAGES: Record<string, { comment?: string; words?: string }> = {
  sh: { comment: HASH_COMMENT, words: 'export|if|then|else|fi|for|in|do|done|while|local|return|exit' },
  python: {
    comment: HASH_COMMENT,
    words: 'from|import|with|as|def|return|for|in|if|else|async|await|class|None|True|False|not|lambda',
  },
  ts: {
    comment: SLASH_COMMENT,
    words: 'import|from|const|let|new|await|async|export|function|return|for|of|if|else|type|true|false|undefined',
  },
  json: { words: 'true|false|null' },
  sql: { words: 'SELECT|FROM|WHERE|AND|OR|ALTER|CREATE|DATABASE|EXTENSION|TABLE|INDEX|SET|UPDATE|GRANT|ON|TO' },
  yaml: { comment: HASH_COMMENT, words: 'true|false|null' },
}

export function highlightCode(code: string, language: string): CodePart[] {
  const rules = LANGUAGES[language]
  if (!rules) return [{ text: code }]
  const kinds = [
    rules.comment && `(?<comment>${rules.comment})`,
    `(?<string>${STRING})`,
    rules.words && String.raw`(?<word>\b(?:${rules.words})\b)`,
  ]
  const parts: CodePart[] = []
  let end = 0
  for (const match of code.matchAll(new RegExp(kinds.filter(Boolean).join('|'), 'gm'))) {
    if (match.index > end) parts.push({ text: code.slice(end, match.index) })
    const { comment, string } = match.groups ?? {}
    parts.push({ text: match[0], kind: comment !== undefined ? 'comment' : string !== undefined ? 'string' : 'word' })
    end = match.index + match[0].length
  }
  if (end < code.length) parts.push({ text: code.slice(end) })
  return parts
}
