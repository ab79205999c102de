/** c of n attempts at one item passed; the metrics are computed for k attempts. */
export type Attempts = { readonly n: number; readonly c: number; readonly k: number }

/**
 * The unbiased probability that at least one of k attempts passes: 1 − C(n−c, k) / C(n, k). Undefined for k > n. For
 * several items, use the mean.
 *
 * Chen, M. et al. (2021), Evaluating large language models trained on code, arXiv 2107.03374, equation 1. Their
 * shortcut 1 − (1 − c/n)ᵏ is biased; the product below is their stable form.
 */
export function passAtK({ n, c, k }: Attempts): number | undefined {
  if (!isDefined({ n, c, k })) return undefined
  if (n - c < k) return 1
  return 1 - shareOfChoices(n - c, n, k)
}

/**
 * The probability that all of k attempts pass: C(c, k) / C(n, k). Undefined for k > n.
 *
 * Yao, S. et al. (2024), τ-bench, arXiv 2406.12045, where it is called pass^k and measures the reliability of an agent.
 */
export function passHatK({ n, c, k }: Attempts): number | undefined {
  if (!isDefined({ n, c, k })) return undefined
  return shareOfChoices(c, n, k)
}

function isDefined({ n, c, k }: Attempts): boolean {
  if (!([n, c, k].every(Number.isInteger) && c >= 0 && c <= n && k >= 1)) {
    throw new RangeError(`Attempts are counted in whole numbers with 0 ≤ c ≤ n and k ≥ 1, not n ${n}, c ${c}, k ${k}.`)
  }
  return k <= n
}

/** C(part, k) / C(n, k) as a product of k shares, each at most 1: the binomials themselves overflow. */
function shareOfChoices(part: number, n: number, k: number): number {
  let share = 1
  for (let taken = 0; taken < k && share > 0; taken++) share *= Math.max(0, part - taken) / (n - taken)
  return share
}
