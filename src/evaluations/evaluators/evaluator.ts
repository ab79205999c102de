/** One thing to be judged. */
export type Case = {
  /** The trace, as the client named it. */
  ref: string
  /** What people said of it, one entry a person. */
  ratings: string[]
}

type Verdict = { state: 'scored'; score: number } | { state: 'skipped'; reason: string }

/** An evaluator with its configuration read: pure, the same case always gets the same verdict. */
export type Evaluator = { name: string; evaluate(input: Case): Verdict }

/** Thrown when a known key of `config` makes no sense; its message names the key and ends the evaluation. */
export class ConfigError extends Error {}
