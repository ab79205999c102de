/** Which calls the cells of a playground make, and what is missing for them. */
import type { PromptContent } from '../../api/generated/api.ts'
import { templateNames } from '../prompts/template-text.tsx'
import type { TypedValues } from './playground-record.ts'
import type { ToolAnswers } from './playground-search.ts'
import {
  itemValues,
  missingNames,
  readMessages,
  typedText,
  typedValues,
  valuesBesideItem,
} from './playground-values.ts'
import type { NewTry } from './tries.ts'
import type { Variant } from './use-columns.ts'
import type { PlaygroundRow } from './use-rows.ts'

interface Given {
  /** For items that do not have them. */
  shared: TypedValues
  toolAnswers: ToolAnswers
}

export function cellId(row: Pick<PlaygroundRow, 'id'>, { column }: Pick<Variant, 'column'>): string {
  return `${row.id} ${column.id}`
}

/** The call of a cell; undefined while the text of the column is not there. */
export function tryOf(variant: Variant, row: PlaygroundRow, { shared, toolAnswers }: Given): NewTry | undefined {
  const { content, baseContent, column, edits, target } = variant
  if (!content) return undefined
  // The text of a deleted version is not there to compare with.
  const version = baseContent && edits.length === 0 ? column.base : null
  const names = templateNames(content.messages)
  const variables = row.item ? valuesBesideItem(row.item, names, shared) : typedValues(row.hand?.values ?? {}, names)
  const { provider, model } = target
  const sent = {
    variables,
    ...(row.item && { itemId: row.item.id }),
    ...(provider !== undefined && provider !== content.provider && { provider }),
    ...(model !== undefined && model !== content.model && { model }),
    ...(content.tools.length > 0 && { toolAnswers }),
  }
  return {
    id: cellId(row, variant),
    body: { ...(version === null ? { content } : { version }), ...sent },
    fingerprint: JSON.stringify([content, sent, row.item?.input]),
  }
}

/** Why the cells cannot be run, as a summary for the button; undefined if they can. */
export function whyIncomplete(variants: readonly Variant[], rows: readonly PlaygroundRow[], shared: TypedValues) {
  const contents = variants.flatMap(({ content }) => content ?? [])
  for (const row of rows) {
    for (const content of contents) {
      const [name] = missingOf(content, row, shared)
      if (name !== undefined) return `${name} has no value in ${row.name.toLowerCase()}.`
      const broken = row.hand && brokenPlaceholder(content, row.hand.values)
      if (broken !== undefined) return `${broken} in ${row.name.toLowerCase()} is not a list of messages.`
    }
  }
  return undefined
}

/** The variables that no item (`lacking`) or not every item has: they are typed once for all of them. */
export function namesToShare(contents: readonly PromptContent[], rows: readonly PlaygroundRow[]) {
  const items = rows.filter(({ item }) => item !== undefined)
  const missing = items.map((row) => contents.flatMap((content) => missingOf(content, row, {})))
  const names = [...new Set(missing.flat())]
  return { names, lacking: names.filter((name) => missing.every((one) => one.includes(name))) }
}

function missingOf(content: PromptContent, { item, hand }: PlaygroundRow, shared: TypedValues): string[] {
  const names = templateNames(content.messages)
  if (!item) return missingNames(content, typedValues(hand?.values ?? {}, names))
  return missingNames(content, { ...itemValues(item, names, shared), ...typedValues(shared, names) })
}

function brokenPlaceholder({ messages }: PromptContent, values: TypedValues): string | undefined {
  return templateNames(messages).placeholders.find((name) => readMessages(typedText(values, name)) === undefined)
}
