/**
 * Judged text on its way to a model: data in named fields of one JSON object, whatever it says. JSON writes quotes, braces and line ends
 * so that a text cannot end its field, and marks by which some servers tell roles apart are written in another way.
 */

/** What a judge sees of a text at most. */
const TEXT_LENGTH_MAX = 100_000

export type JudgedField = {
  /** How the judge is told of it. */
  key: string
  text: string
  /** How people are told of it. */
  name: string
}

export type JudgedData = {
  /** JSON. */
  message: string
  /** Tells people that the judge did not see everything; undefined if it did. */
  note: string | undefined
}

export function judgedData(fields: readonly JudgedField[], lengthMax = TEXT_LENGTH_MAX): JudgedData {
  const message = JSON.stringify(Object.fromEntries(fields.map(({ key, text }) => [key, cutMiddle(text, lengthMax)])))
  const notes = fields
    .filter(({ text }) => text.length > lengthMax)
    .map(({ name, text }) => `The ${name} was cut: the model saw ${lengthMax} of ${text.length} characters.`)
  return { message: withoutRoleMarks(message), note: notes.length === 0 ? undefined : notes.join(' ') }
}

/** Keeps the beginning and the end, where most texts say what they are about. */
export function cutMiddle(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text
  const half = Math.floor(lengthMax / 2)
  const mark = `\n[… ${text.length - 2 * half} characters left out …]\n`
  return `${text.slice(0, half).toWellFormed()}${mark}${text.slice(text.length - half).toWellFormed()}`
}

/**
 * Marks of roles in the templates of local models: `<|im_start|>`, `<s>`, `<start_of_turn>`, `[INST]`, `<<SYS>>`, `<think>`. Servers have
 * read them in the text of messages as if they were their own. Behind an escape they are text for everybody, and equal for readers of JSON.
 */
const ROLE_MARK =
  /[<[](?=[|｜]|\/?(?:s|think|bos|eos|(?:start|end)_of_turn)>|<\/?SYS>|\/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS)\])/gi

function withoutRoleMarks(json: string): string {
  return json.replace(ROLE_MARK, (first) => (first === '<' ? '\\u003c' : '\\u005b'))
}
