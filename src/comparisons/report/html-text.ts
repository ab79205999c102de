/** HTML as text in which every value is escaped, unless it is HTML already: there is no other way to insert one. */
export class Html {
  readonly text: string

  private constructor(text: string) {
    this.text = text
  }

  /** Only called by `html`, with the fixed parts of a template. */
  static of(strings: TemplateStringsArray, values: readonly HtmlValue[]): Html {
    return new Html(strings.reduce((text, part, place) => text + textOf(values[place - 1]) + part))
  }
}

type HtmlValue = string | number | Html | readonly Html[] | null | undefined

export function html(strings: TemplateStringsArray, ...values: HtmlValue[]): Html {
  return Html.of(strings, values)
}

function textOf(value: HtmlValue): string {
  if (value === null || value === undefined) return ''
  if (value instanceof Html) return value.text
  if (typeof value === 'object') return value.map(({ text }) => text).join('')
  return escapeText(String(value))
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
}

/** For text and for attributes in quotes. Control characters, which HTML does not allow, are replaced. */
function escapeText(text: string): string {
  return text
    .toWellFormed()
    .replace(FORBIDDEN, '\uFFFD')
    .replace(/[&<>"'`]/g, (character) => ENTITIES[character] ?? '')
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to replace
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g
