import { badRequest } from '../base/errors.ts'
import type { StartTrial } from './start-trial-schemas.ts'
import type { GivenTarget } from './targets/given-target.ts'
import { readHttpTarget } from './targets/http-target.ts'
import { readPromptTarget } from './targets/prompt-target.ts'
import { readRecordedTarget } from './targets/recorded-target.ts'
import type { Target } from './targets/target.ts'
import { readWorkerTarget } from './targets/worker-target.ts'

const VARIANTS_MAX = 50

export type NewVariant = { number: number; name: string; target: Target }

type Given = { name: string | undefined; target: GivenTarget; place: string }

/** The variants of the request, and all combinations of its grid. Throws 400 if there are none, too many, or two with one name. */
export function readVariants({ variants = [], grid }: Pick<StartTrial, 'variants' | 'grid'>): NewVariant[] {
  const listed = variants.map(({ name, target }, index): Given => ({ name, target, place: `variants[${index}]` }))
  const count = listed.length + (grid ? sizeOf(grid) : 0)
  if (count === 0) throw badRequest('A trial needs at least one variant; send "variants", "grid" or both')
  if (count > VARIANTS_MAX)
    throw badRequest(
      `A trial has at most ${VARIANTS_MAX} variants, and these are ${count}; use fewer versions, models or parameters`,
    )
  const all = [...listed, ...(grid ? combinations(grid) : [])]
  const read = all.map(({ name, target, place }, index): NewVariant => {
    const known = readTarget(target, place)
    return { number: index + 1, name: name ?? nameOf(known), target: known }
  })
  const names = new Set<string>()
  for (const { name } of read) {
    if (names.has(name))
      throw badRequest(`Two variants have the name ${JSON.stringify(name)}; give each a "name" of its own`)
    names.add(name)
  }
  if (read.filter(({ target }) => target.type === 'recorded').length > 1)
    throw badRequest('A trial has at most one variant of type recorded: an item has one recorded answer')
  return read
}

function readTarget(target: GivenTarget, place: string): Target {
  switch (target.type) {
    case 'prompt':
      return readPromptTarget(target, place)
    case 'http':
      return readHttpTarget(target, place)
    case 'worker':
      return readWorkerTarget(target, place)
    case 'recorded':
      return readRecordedTarget(target, place)
  }
}

type Grid = NonNullable<StartTrial['grid']>

function sizeOf({ versions, models, parameters = {} }: Grid): number {
  return Object.values(parameters).reduce(
    (count, values) => count * values.length,
    versions.length * (models?.length ?? 1),
  )
}

function combinations({ promptId, versions, models = [{}], parameters = {} }: Grid): Given[] {
  let sets: Record<string, unknown>[] = [{}]
  for (const [name, values] of Object.entries(parameters))
    sets = sets.flatMap((set) => values.map((value) => ({ ...set, [name]: value })))
  return versions.flatMap((version) =>
    models.flatMap((model) =>
      sets.map((set): Given => {
        const target: GivenTarget = { type: 'prompt', promptId, version, ...model, parameters: set }
        return { name: undefined, target, place: 'grid' }
      }),
    ),
  )
}

function nameOf(target: Target): string {
  if (target.type === 'worker') return target.queue
  if (target.type === 'http') return target.endpoint
  if (target.type === 'recorded') return 'recorded'
  const { version, provider, model, parameters } = target
  const set = Object.entries(parameters).map(([name, value]) => `${name}=${JSON.stringify(value)}`)
  const parts = [`v${version}`, model ?? provider, ...set]
  return parts
    .filter((part) => part !== null)
    .join(' ')
    .slice(0, NAME_LENGTH_MAX)
}

const NAME_LENGTH_MAX = 200
