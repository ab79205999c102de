/**
 * Merges what two texts have changed in their common ancestor, by lines and sentences. Where both have changed the same sentences, both versions
 * are kept, one after the other: a rule that is said twice does less harm than one that is lost, and the items decide about the result.
 */
import type { TemplateMessage } from '../../prompts/template.ts'
import { describedTools, withDescriptions } from '../tools/tool-descriptions.ts'

const UNITS_MAX = 2_000

export function mergeTexts(ancestor: string, one: string, other: string): string {
  if (one === other || other === ancestor) return one
  if (one === ancestor) return other
  const [base, first, second] = [unitsOf(ancestor), unitsOf(one), unitsOf(other)]
  if (Math.max(base.length, first.length, second.length) > UNITS_MAX) return one
  const [inFirst, inSecond] = [matches(base, first), matches(base, second)]
  const merged: string[] = []
  let [from, fromFirst, fromSecond] = [0, 0, 0]
  for (let place = 0; place <= base.length; place += 1) {
    const isEnd = place === base.length
    const [toFirst, toSecond] = isEnd ? [first.length, second.length] : [inFirst[place], inSecond[place]]
    // Only what all three have ends a part.
    if (toFirst === undefined || toSecond === undefined) continue
    merged.push(
      ...mergePart(base.slice(from, place), first.slice(fromFirst, toFirst), second.slice(fromSecond, toSecond)),
    )
    // The one with the most space after it: in the others it may have been the last.
    if (!isEnd) merged.push(longest([base[place] ?? '', first[toFirst] ?? '', second[toSecond] ?? '']))
    ;[from, fromFirst, fromSecond] = [place + 1, toFirst + 1, toSecond + 1]
  }
  return merged.reduce(append, '')
}

function mergePart(base: readonly string[], one: readonly string[], other: readonly string[]): readonly string[] {
  const [before, first, second] = [base, one, other].map((units) => units.join(''))
  if (first === second || second === before) return one
  if (first === before) return other
  return [...one, ...other]
}

function longest(units: readonly string[]): string {
  return units.reduce((most, unit) => (unit.length > most.length ? unit : most), '')
}

function append(text: string, unit: string): string {
  const isApart = text === '' || unit === '' || /\s$/.test(text) || /^\s/.test(unit)
  return isApart ? `${text}${unit}` : `${text} ${unit}`
}

/** Sentences and ends of lines, with the spaces that follow. */
function unitsOf(text: string): string[] {
  return text.match(/[^\n.!?]*(?:[.!?](?!\s)[^\n.!?]*)*[.!?]?[^\S\n]*\n*/g)?.filter((unit) => unit !== '') ?? []
}

/** For each unit its position in the other list, along a longest common subsequence. */
function matches(units: readonly string[], others: readonly string[]): (number | undefined)[] {
  const width = others.length + 1
  const lengths = new Uint16Array((units.length + 1) * width)
  const at = (row: number, column: number) => lengths[row * width + column] ?? 0
  const isSame = (row: number, column: number) => units[row]?.trimEnd() === others[column]?.trimEnd()
  for (let row = units.length - 1; row >= 0; row -= 1)
    for (let column = others.length - 1; column >= 0; column -= 1)
      lengths[row * width + column] = isSame(row, column)
        ? at(row + 1, column + 1) + 1
        : Math.max(at(row + 1, column), at(row, column + 1))
  const found: (number | undefined)[] = units.map(() => undefined)
  let [row, column] = [0, 0]
  while (row < units.length && column < others.length) {
    if (isSame(row, column)) found[row++] = column++
    else if (at(row + 1, column) >= at(row, column + 1)) row += 1
    else column += 1
  }
  return found
}

/** All three have the same roles: a proposal may not change them. */
export function mergeMessages(
  ancestor: readonly TemplateMessage[],
  one: readonly TemplateMessage[],
  other: readonly TemplateMessage[],
): TemplateMessage[] {
  return one.map((message, place) => {
    const [before, second] = [ancestor[place], other[place]]
    if ('placeholder' in message || !before || !second || 'placeholder' in before || 'placeholder' in second)
      return message
    return { ...message, content: mergeTexts(before.content, message.content, second.content) }
  })
}

/** By their names, which no proposal changes. */
export function mergeTools(
  ancestor: readonly Record<string, unknown>[],
  one: readonly Record<string, unknown>[],
  other: readonly Record<string, unknown>[],
): Record<string, unknown>[] {
  const [before, second] = [ancestor, other].map(
    (tools) => new Map(describedTools(tools).map(({ name, description }) => [name, description])),
  )
  const merged = describedTools(one).map(({ name, description }): [string, string] => [
    name,
    mergeTexts(before?.get(name) ?? '', description, second?.get(name) ?? ''),
  ])
  return withDescriptions(one, new Map(merged))
}
