import type { Usage } from '../storing/mapped-span.ts'
import type { AttributeValue, ReceivedEvent } from '../storing/received-span.ts'
import { FIELDS, type Field, type MappableSpan } from './conventions/convention.ts'
import { FIELD_PATHS, LINK_FIELDS, SUPERSEDED_BY } from './field-paths.ts'
import { mapPicked } from './map-span.ts'
import {
  ASSEMBLY_BITS_BY_EVENT,
  ASSEMBLY_RULES,
  assemblyBitsByPrefix,
  type FieldRule,
  RULES_BY_KEY,
  SLOTS,
} from './mapping-rules.ts'
import { type PickedParameters, pickParameters } from './model-parameters.ts'
import { findParameterSource } from './parameter-names.ts'
import { type Picks, pickFields, RESOURCE_SLOTS } from './pick-fields.ts'

/** How one attribute was mapped. */
export type MappingEntry = {
  source: 'span' | 'resource' | `event:${string}`
  key: string
  /** As it was sent. */
  value: AttributeValue
  /** The convention that defines the key; null if none does. */
  convention: string | null
  /** The field that it was mapped to, or would have been: `usage.input`, `links.run`, `modelParameters.temperature`. */
  field: string | null
  /** `linked` is `used` for values that link the trace to a dataset, run or component; `kept` is stored as metadata only. */
  outcome: 'used' | 'outranked' | 'kept' | 'linked'
  note: string | null
}

/** One possible mapping of an attribute. */
type Candidate = Pick<MappingEntry, 'convention' | 'field' | 'outcome' | 'note'>

/** Explains how `mapSpan` mapped each attribute of a span, its resource and its events, by running the same mapping again. */
export function explainMapping(span: MappableSpan): MappingEntry[] {
  const explained = explainedPicks(span)
  return [
    ...[...span.attributes].map(([key, value]): MappingEntry => {
      return { source: 'span', key, value, ...explainAttribute(explained, key, value) }
    }),
    ...[...span.resourceScope.resource].map(([key, value]): MappingEntry => {
      return { source: 'resource', key, value, ...explainResource(explained, key) }
    }),
    ...span.events.flatMap((event) =>
      [...event.attributes].map(([key, value]): MappingEntry => {
        return { source: `event:${event.name}`, key, value, ...explainEvent(explained, span, event, key) }
      }),
    ),
  ]
}

/**
 * The attributes of a span that were not mapped: the keys that `explainMapping` reports as `kept` or `outranked`, without the notes. Runs
 * for each span of a displayed trace, so it builds only what it needs.
 */
export function unusedKeys(span: MappableSpan, settings: PickedParameters = pickParameters(span.attributes)): string[] {
  const picks = takenPicks(span)
  const unused: string[] = []
  const settingKeys = keysOf(settings)
  for (const [key, value] of span.attributes) {
    if (isUsed(picks, key, value)) continue
    const source = settingKeys === undefined ? undefined : findParameterSource(key)
    if (source === undefined || !settingKeys?.has(source.form === 'tools' ? source.name : key)) unused.push(key)
  }
  return unused
}

/** Undefined if there are none. */
function keysOf(settings: PickedParameters): ReadonlySet<string> | undefined {
  if (settings.size === 0) return undefined
  const keys = new Set<string>()
  for (const { key } of settings.values()) keys.add(key)
  return keys
}

function isUsed(picks: Picks, key: string, value: AttributeValue): boolean {
  const known = RULES_BY_KEY.get(key)
  const bits = known === undefined ? assemblyBitsByPrefix(key) : known.assemblyBits
  if (known !== undefined) {
    for (const rule of known.fieldRules) {
      // A field that is read from inside an attribute covers only a part of it. A rule that won has read the value.
      if (rule.isWhole && isWinner(picks, rule)) return true
    }
  }
  if (bits === 0) return false
  for (const rule of ASSEMBLY_RULES) {
    if ((bits & rule.bit) === 0 || !isWinner(picks, rule)) continue
    if (hasContent(value) && rule.assembly.uses?.(key) !== false) return true
  }
  return false
}

type Explained = { picks: Picks; usage: Usage | null; parameterKeys: Map<string, string> }

function explainedPicks(span: MappableSpan): Explained {
  const picks = takenPicks(span)
  const { usage } = mapPicked(picks, span)
  const parameterKeys = new Map([...pickParameters(span.attributes)].map(([name, { key }]) => [key, name]))
  return { picks, usage, parameterKeys }
}

const NOT_TAKEN: readonly boolean[] = FIELDS.map(() => false)

/** The fields that `mapSpan` finds in a span, and which of them it uses. */
function takenPicks(span: MappableSpan): Picks {
  const picks = pickFields(span, NOT_TAKEN.slice())
  mapPicked(picks, span)
  return picks
}

const UNKNOWN: Candidate = { convention: null, field: null, outcome: 'kept', note: null }

/** The best possible mapping of an attribute: used, or else outranked, or else known but not applicable. */
function explainAttribute(explained: Explained, key: string, value: AttributeValue): Candidate {
  const known = RULES_BY_KEY.get(key)
  const bits = known === undefined ? assemblyBitsByPrefix(key) : known.assemblyBits
  const assemblies = ASSEMBLY_RULES.filter(({ bit }) => (bits & bit) !== 0)
  const candidates = [
    ...(known?.fieldRules ?? []).map((rule) => explainRule(explained, rule, rule.read(value) !== undefined)),
    ...assemblies.map((rule) => explainRule(explained, rule, hasContent(value) && rule.assembly.uses?.(key) !== false)),
    ...explainParameter(explained, key),
  ]
  return bestOf(candidates)
}

function bestOf(candidates: readonly Candidate[]): Candidate {
  return (
    candidates.find(({ outcome }) => outcome === 'used' || outcome === 'linked') ??
    candidates.find(({ outcome }) => outcome === 'outranked') ??
    candidates[0] ??
    UNKNOWN
  )
}

function hasContent(value: AttributeValue): boolean {
  return value !== '' && value !== null
}

/** Whether the span's field has the value that this rule found. */
function isWinner({ rules, taken, fromResource }: Picks, rule: FieldRule): boolean {
  return rules[rule.slot] === rule && taken[rule.slot] === true && !fromResource[rule.slot]
}

/** The outcome of an attribute under one of its rules, if the rule can read its value. */
function outcomeOf(picks: Picks, rule: FieldRule, isReadable: boolean): 'used' | 'outranked' | 'kept' {
  if (!isReadable) return 'kept'
  if (isWinner(picks, rule)) return 'used'
  const better = betterThan(picks, rule)
  return better && (picks.taken[better.slot] || superseding(picks, rule)) ? 'outranked' : 'kept'
}

function betterThan(picks: Picks, rule: FieldRule): FieldRule | undefined {
  const winner = picks.rules[rule.slot]
  return winner === undefined || winner === rule ? superseding(picks, rule) : winner
}

function explainRule(explained: Explained, rule: FieldRule, isReadable: boolean): Candidate {
  const { picks } = explained
  const known = { convention: rule.convention, field: FIELD_PATHS[rule.field] }
  const outcome = outcomeOf(picks, rule, isReadable)
  if (outcome === 'used') return { ...known, outcome: outcomeOfUse(rule), note: noteOfUse(explained, rule) }
  const better = betterThan(picks, rule)
  if (outcome === 'outranked' && better) return { ...known, outcome, note: `${nameOf(better)} comes first` }
  return { ...known, outcome: 'kept', note: isReadable ? 'not needed here' : 'says nothing about this field' }
}

/** The field that takes precedence over this one, if it has a value. */
function superseding(picks: Picks, { field }: FieldRule): FieldRule | undefined {
  const by = SUPERSEDED_BY[field]
  return by !== undefined && picks.taken[SLOTS[by]] ? picks.rules[SLOTS[by]] : undefined
}

function nameOf(rule: FieldRule): string {
  return rule.key ?? `what ${rule.convention} spreads over several attributes or events`
}

function outcomeOfUse({ field }: FieldRule): 'used' | 'linked' {
  return LINK_FIELDS.includes(field) ? 'linked' : 'used'
}

const CACHE_FIELDS: readonly Field[] = ['inputTokens', 'cacheReadTokens', 'cacheWriteTokens', 'usageDetails']

function noteOfUse({ picks, usage }: Explained, rule: FieldRule): string | null {
  if (rule.field === 'costUsd' && picks.values[rule.slot] === 0 && usage?.total) {
    return 'a cost of 0 for tokens counts only if the model has no price'
  }
  const isCached = usage !== null && (usage.cacheRead !== null || usage.cacheWrite !== null)
  if (isCached && CACHE_FIELDS.includes(rule.field)) {
    return usage.basis === 'additive'
      ? 'additive: the cached tokens were added to the input'
      : 'inclusive: the cached tokens are a part of the input'
  }
  return rule.key === null ? 'put together from several attributes or events' : null
}

function explainParameter({ parameterKeys }: Explained, key: string): Candidate[] {
  const source = findParameterSource(key)
  if (source === undefined) return []
  const { convention, form, name } = source
  const setting = parameterKeys.get(form === 'tools' ? name : key)
  if (form === 'object') {
    const outcome = setting === undefined ? 'outranked' : 'used'
    return [{ convention, field: 'modelParameters', outcome, note: null }]
  }
  const field = `modelParameters.${form === 'tools' ? 'tools' : name}`
  if (setting !== undefined) return [{ convention, field, outcome: 'used', note: null }]
  return [{ convention, field, outcome: 'outranked', note: 'another attribute has the same setting' }]
}

function explainResource({ picks }: Explained, key: string): Candidate {
  const rule = RULES_BY_KEY.get(key)?.fieldRules.find(({ slot }) => RESOURCE_SLOTS.includes(slot))
  const winner = rule && picks.rules[rule.slot]
  if (rule === undefined || winner === undefined) return UNKNOWN
  const known = { convention: rule.convention, field: FIELD_PATHS[rule.field] }
  return winner === rule && picks.fromResource[rule.slot]
    ? { ...known, outcome: outcomeOfUse(rule), note: null }
    : { ...known, outcome: 'outranked', note: `${nameOf(winner)} comes first` }
}

function explainEvent(explained: Explained, span: MappableSpan, event: ReceivedEvent, key: string): Candidate {
  const bits = ASSEMBLY_BITS_BY_EVENT.get(event.name) ?? 0
  const isEarlierException =
    event.name === 'exception' && event !== span.events.findLast(({ name }) => name === event.name)
  const rules = ASSEMBLY_RULES.filter(({ bit }) => (bits & bit) !== 0)
  return bestOf(
    rules.map((rule) => explainRule(explained, rule, !isEarlierException && rule.assembly.uses?.(key) !== false)),
  )
}
