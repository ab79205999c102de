import { queryOptions } from '@tanstack/react-query'
import { labelCheckKey, labelCheckQuery } from './deployment-query.ts'
import type { DeploymentCheck, DeploymentEvidence, PromptLabel } from './generated/api.ts'
import { type PromptKey, promptResultsQuery } from './prompts-query.ts'

const LABEL = 'production'
/** Each check compares two runs. */
const CHECKED_MAX = 3

/** What production asks for, and what it serves most. Undefined if no version can be shown to be better: it has no gate, or serves nothing. */
export function liveWithGate(labels: readonly PromptLabel[]) {
  const { splits = [], protection } = labels.find(({ name }) => name === LABEL) ?? {}
  const live = splits.toSorted((a, b) => b.weight - a.weight)[0]?.version
  return protection?.gate && live !== undefined ? { gate: protection.gate, live } : undefined
}

export type LiveWithGate = NonNullable<ReturnType<typeof liveWithGate>>

/**
 * The evidence of the newest version after the live one that production would accept, with any role; null if there is none. An older
 * version is only asked for if the newer ones are not good enough.
 */
export function betterVersionQuery(key: PromptKey, { gate, live }: LiveWithGate) {
  const { applicationId, componentId, promptId } = key
  return queryOptions({
    // Found with the checks, so that it is read again when they are.
    queryKey: [...labelCheckKey(applicationId), { componentId, promptId }, 'better', { gate, live }],
    queryFn: async ({ client }): Promise<DeploymentEvidence | null> => {
      const read = (metric: string | undefined) =>
        client.fetchQuery({ ...promptResultsQuery(key, { datasetId: gate.datasetId, metric }), staleTime: 0 })
      const first = await read(undefined)
      // A gate by a metric of traces has no results of its own: then those of any evaluation name the versions.
      const isOther = first.metric !== gate.metric && first.metrics.includes(gate.metric)
      const { data } = isOther ? await read(gate.metric) : first
      const newer = data.map(({ version }) => version).filter((version) => version > live)
      for (const version of newer.slice(0, CHECKED_MAX)) {
        const check = labelCheckQuery({ ...key, label: LABEL }, { version, weight: 100 })
        const evidence = openingVerdict(await client.fetchQuery({ ...check, staleTime: 0 }))
        if (evidence) return evidence
      }
      return null
    },
  })
}

function openingVerdict({ verdict, conditions }: DeploymentCheck): DeploymentEvidence | null {
  const isMet = conditions.every(({ key, met }) => met || key === 'role')
  return verdict?.passed && isMet ? verdict : null
}
