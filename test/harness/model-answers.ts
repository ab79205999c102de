/** What the model server answers if the test does not say: always the same to the same question. */
import { createHash } from 'node:crypto'

type Property = { type?: string; enum?: unknown[]; minimum?: number; maximum?: number }

/** A judge that reads the schema in its instructions and answers what fits; which of the fitting values, the question decides. */
export function judgeBySchema({ system, user }: { system: string; user: string }): Record<string, unknown> {
  const schema = /It must fit this JSON Schema: (\{.*\})$/s.exec(system)?.[1]
  if (schema === undefined) return { reason: 'there is no schema' }
  const properties: Record<string, Property> = JSON.parse(schema).properties
  const share = shareOf(user)
  return Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, fitting(property, share)]))
}

function fitting({ type, enum: choices, minimum = 0, maximum = 1 }: Property, share: number): unknown {
  if (choices) return choices[Math.floor(share * choices.length)]
  if (type === 'boolean') return share >= 0.5
  if (type === 'number') return minimum + Math.round(share * (maximum - minimum))
  return 'because the test says so'
}

/** From 0 up to 1, by the text alone. */
function shareOf(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE(0) / 2 ** 32
}

/** How often each letter occurs: texts with the same letters are alike. */
export function vectorOf(text: string): number[] {
  const counts = new Array<number>(26).fill(0)
  for (const letter of text.toLowerCase()) {
    const place = letter.charCodeAt(0) - 97
    if (place in counts) counts[place] = (counts[place] ?? 0) + 1
  }
  return counts
}
