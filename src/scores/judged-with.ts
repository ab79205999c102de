/**
 * What decides scores and is not in the config of an evaluation: the model that a connection chooses where an evaluator names none, the
 * address behind the name of the connection, and the rating scheme. Each may change between two evaluations with the same config.
 */
export type JudgedWith = {
  /** `model@` and a hash of the address. Several if a retry was judged by another one. */
  readonly judges: readonly string[]
  /** Which words of the rating scheme were good; null for those in the middle. Undefined if ratings do not matter. */
  readonly ratings?: Readonly<Record<string, boolean | null>> | undefined
}

/** By the name of the evaluator. */
export type JudgedWithByName = ReadonlyMap<string, JudgedWith>

/** Null for evaluations of older versions, and before the start. */
export function readJudgedWith(text: string | null): JudgedWithByName {
  const stored: Record<string, JudgedWith> = JSON.parse(text ?? '{}')
  return new Map(Object.entries(stored))
}

export function judgedWithText(byName: JudgedWithByName): string {
  return JSON.stringify(Object.fromEntries(byName))
}

/** Why the scores of two evaluations of one config cannot be compared. Undefined if they can, or if it is not known. */
export function changedJudge(before: JudgedWith | undefined, after: JudgedWith | undefined): string | undefined {
  if (!before || !after) return undefined
  if (String(before.judges) !== String(after.judges)) {
    const [one, other] = [modelsOf(before), modelsOf(after)]
    return one === other
      ? `the two evaluations asked ${one} at different addresses`
      : `the two evaluations asked different models, ${one} and ${other}`
  }
  const { ratings = {} } = after
  const word = Object.entries(before.ratings ?? {}).find(([word, isGood]) => (ratings[word] ?? isGood) !== isGood)?.[0]
  return word === undefined ? undefined : `the rating scheme gave “${word}” another meaning in between`
}

function modelsOf({ judges }: JudgedWith): string {
  return judges.map((judge) => judge.slice(0, judge.lastIndexOf('@'))).join(' then ')
}
