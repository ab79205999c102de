/**
 * Encodes judged texts for a model as named fields of one JSON object. JSON escapes quotes and line breaks, so a text
 * cannot end its field. Markers that some servers use to distinguish roles are escaped, too.
 */

/** The maximum length of a text in a question. */
const TEXT_LENGTH_MAX = 100_000

export type JudgedField = {
  /** The name of the field for the judge. */
  key: string
  text: string
  /** The name of the field for people. */
  name: string
}

export type JudgedData = {
  /** A JSON text. */
  message: string
  /** Reports that the judge did not see the whole text; undefined if it did. */
  note: string | undefined
}

export function judgedData(fields: readonly JudgedField[], lengthMax = TEXT_LENGTH_MAX): JudgedData {
  const message = JSON.stringify(Object.fromEntries(fields.map(({ key, text }) => [key, cutMiddle(text, lengthMax)])))
  const notes = fields
    .filter(({ text }) => text.length > lengthMax)
    .map(({ name, text }) => `The ${name} was cut: the model saw ${lengthMax} of ${text.length} characters.`)
  return { message: withoutRoleMarks(message), note: notes.length === 0 ? undefined : notes.join(' ') }
}

/** Keeps the start and the end, where most texts state what they are about. */
export function cutMiddle(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text
  const half = Math.floor(lengthMax / 2)
  const mark = `\n[… ${text.length - 2 * half} characters left out …]\n`
  return `${text.slice(0, half).toWellFormed()}${mark}${text.slice(text.length - half).toWellFormed()}`
}

/**
 * Role markers in the templates of local models: `<|im_start|>`, `<s>`, `<start_of_turn>`, `[INST]`, `<<SYS>>`,
 * `<think>`. Some servers interpret them inside the text of messages. Escaped, they are plain text for every server,
 * and the same text for JSON parsers.
 */
const ROLE_MARK =
  /[<[](?=[|｜]|\/?(?:s|think|bos|eos|(?:start|end)_of_turn)>|<\/?SYS>|\/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS)\])/gi

function withoutRoleMarks(json: string): string {
  return json.replace(ROLE_MARK, (first) => (first === '<' ? '\\u003c' : '\\u005b'))
}
