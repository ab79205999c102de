/** The properties of an evaluator that a comparison needs, as reported by an evaluation. */
export type EvaluatorInfo = {
  readonly kind: 'binary' | 'numeric' | 'categorical' | null
  readonly scale: readonly [number, number] | null
  readonly higherIsBetter: boolean
}

/** Used if an evaluation reports nothing: most scores are between 0 and 1, and higher is better. */
export const DEFAULT_INFO: EvaluatorInfo = { kind: null, scale: [0, 1], higherIsBetter: true }

/** Reads the stored `results`. Fields may be missing in older evaluations. */
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

/** Null means that there is no scale. A missing value means the default scale. */
function readScale(scale: unknown): EvaluatorInfo['scale'] {
  if (scale === null) return null
  if (!Array.isArray(scale)) return DEFAULT_INFO.scale
  const [low, high]: unknown[] = scale
  return typeof low === 'number' && typeof high === 'number' && low < high ? [low, high] : DEFAULT_INFO.scale
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
