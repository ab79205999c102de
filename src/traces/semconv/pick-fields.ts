import type { MappedText } from '../storing/mapped-span.ts'
import type { Attributes, AttributeValue, ResourceScope } from '../storing/received-span.ts'
import { FIELDS, type Field, type MappableSpan } from './conventions/convention.ts'
import { SUPERSEDED_BY } from './field-paths.ts'
import {
  ASSEMBLY_BITS_BY_EVENT,
  ASSEMBLY_RULES,
  assemblyBitsByPrefix,
  type FieldRule,
  RULES_BY_KEY,
  SLOTS,
} from './mapping-rules.ts'

/** The best value found for each field, and the rule that found it. */
export type Picks = {
  values: unknown[]
  /** Instead of `values`, for texts that were assembled. */
  assembled: (MappedText | undefined)[]
  rules: (FieldRule | undefined)[]
  /** The fields that were taken. A value that is not taken counts as unused. */
  taken: boolean[]
  /** The fields whose value comes from the resource and not from the span. */
  fromResource: boolean[]
}

/** Fields that may be set once for a process instead of on each span. */
const RESOURCE_FIELDS = [
  'component',
  'dataset',
  'run',
  'datasetId',
  'itemId',
  'environment',
  'sessionId',
  'userId',
  'tags',
  'source',
] as const satisfies readonly Field[]
export const RESOURCE_SLOTS: readonly number[] = RESOURCE_FIELDS.map((field) => SLOTS[field])

// Written for every span and never read: only an explanation reads what was taken, and passes its own list.
const ignoredTaken: boolean[] = FIELDS.map(() => false)

const nothing: undefined[] = FIELDS.map(() => undefined)

const picksByResourceScope = new WeakMap<ResourceScope, Picks>()

/** Iterates once over the attributes and keeps the best value of each field. */
export function pickFields(span: MappableSpan, taken: boolean[] = ignoredTaken): Picks {
  const picks = emptyPicks(taken)
  let seen = pickFrom(picks, span.attributes)
  for (const event of span.events) seen |= ASSEMBLY_BITS_BY_EVENT.get(event.name) ?? 0
  if (seen !== 0) assemble(picks, span, seen)
  addFromResource(picks, span.resourceScope)
  return picks
}

/** Returns the assemblies that were seen, as bits. */
function pickFrom(picks: Picks, attributes: Attributes): number {
  const { rules } = picks
  let seen = 0
  let parsed: { rule: FieldRule; value: AttributeValue }[] | undefined
  for (const [key, value] of attributes) {
    const known = RULES_BY_KEY.get(key)
    if (known === undefined) {
      seen |= assemblyBitsByPrefix(key)
      continue
    }
    seen |= known.assemblyBits
    for (const rule of known.fieldRules) {
      const best = rules[rule.slot]
      if (best !== undefined && best.rank < rule.rank) continue
      if (!rule.isParsed) pick(picks, rule, value)
      else if (parsed === undefined) parsed = [{ rule, value }]
      else parsed.push({ rule, value })
    }
  }
  if (parsed !== undefined) for (const { rule, value } of parsed) if (isOpen(picks, rule)) pick(picks, rule, value)
  return seen
}

function pick({ values, rules }: Picks, rule: FieldRule, value: AttributeValue): void {
  const read = rule.read(value)
  if (read === undefined) return
  values[rule.slot] = read
  rules[rule.slot] = rule
}

/** Whether the value of a rule would be used: no better value was found, and no field that takes precedence. */
function isOpen({ rules }: Picks, { field, slot, rank }: FieldRule): boolean {
  const best = rules[slot]
  if (best !== undefined && best.rank < rank) return false
  const first = SUPERSEDED_BY[field]
  return first === undefined || rules[SLOTS[first]] === undefined
}

function assemble(picks: Picks, span: MappableSpan, seen: number): void {
  for (const rule of ASSEMBLY_RULES) {
    if ((seen & rule.bit) === 0) continue
    const best = picks.rules[rule.slot]
    if (best !== undefined && best.rank < rule.rank) continue
    const assembled = rule.assembly.assemble(span)
    if (assembled === null) continue
    picks.assembled[rule.slot] = assembled
    picks.rules[rule.slot] = rule
  }
}

function addFromResource(picks: Picks, resourceScope: ResourceScope): void {
  const resource = picksOfResource(resourceScope)
  for (const slot of RESOURCE_SLOTS) {
    if (picks.rules[slot] !== undefined || resource.rules[slot] === undefined) continue
    picks.values[slot] = resource.values[slot]
    picks.rules[slot] = resource.rules[slot]
    picks.fromResource[slot] = true
  }
}

/** Cached, because the spans of a batch share their resource scope. */
function picksOfResource(resourceScope: ResourceScope): Picks {
  const known = picksByResourceScope.get(resourceScope)
  if (known) return known
  const picks = emptyPicks(ignoredTaken)
  pickFrom(picks, resourceScope.resource)
  picksByResourceScope.set(resourceScope, picks)
  return picks
}

function emptyPicks(taken: boolean[]): Picks {
  return { values: nothing.slice(), assembled: [], rules: nothing.slice(), taken, fromResource: [] }
}
