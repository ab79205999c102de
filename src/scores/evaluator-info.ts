/** What an evaluation has told of its evaluators, as far as a comparison must know it. */
export type EvaluatorInfo = {
  readonly kind: 'binary' | 'numeric' | 'categorical' | null
  readonly scale: readonly [number, number] | null
  readonly higherIsBetter: boolean
}

/** Whether values that are all 0 or 1 are yes and no, with an interval of rates: not if 1 is a dollar, or the worst of five. */
export function isBinaryScale({ kind, scale }: Pick<EvaluatorInfo, 'kind' | 'scale'>): boolean {
  return scale === null ? kind !== 'numeric' : scale[0] === 0 && scale[1] === 1
}

/** Where nothing is told: most scores are shares of what would be right. */
export const DEFAULT_INFO: EvaluatorInfo = { kind: null, scale: [0, 1], higherIsBetter: true }

/** From the stored `results`. Read with care, because older evaluations tell less. */
export function readEvaluatorInfos(results: string | null): Map<string, EvaluatorInfo> {
  const infos = new Map<string, EvaluatorInfo>()
  const metrics: unknown = results === null ? undefined : fieldsOf(JSON.parse(results)).metrics
  if (!Array.isArray(metrics)) return infos
  for (const metric of metrics) {
    const { name, kind, scale, higherIsBetter } = fieldsOf(metric)
    if (typeof name !== 'string') continue
    infos.set(name, {
      kind: kind === 'binary' || kind === 'numeric' || kind === 'categorical' ? kind : DEFAULT_INFO.kind,
      scale: readScale(scale),
      higherIsBetter: typeof higherIsBetter === 'boolean' ? higherIsBetter : DEFAULT_INFO.higherIsBetter,
    })
  }
  return infos
}

/** Null is told: there is no bound. Nothing told is something else. */
function readScale(scale: unknown): EvaluatorInfo['scale'] {
  if (scale === null) return null
  if (!Array.isArray(scale)) return DEFAULT_INFO.scale
  const [low, high]: unknown[] = scale
  return typeof low === 'number' && typeof high === 'number' && low < high ? [low, high] : DEFAULT_INFO.scale
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
