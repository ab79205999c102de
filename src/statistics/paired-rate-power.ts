import { logChoose, normalQuantile, regularizedBeta } from './distributions.ts'

/**
 * The probability that the mid-p McNemar test finds a difference of two rates of the same n items, if this share of the
 * items differs: the power for each number of differing items, weighted by the probability of that number.
 */
export function pairedRatePower({
  n,
  difference,
  discordance,
}: {
  n: number
  difference: number
  discordance: number
}): number {
  const share = Math.min(1, Math.max(discordance, difference))
  if (share === 0) return 0
  const gained = (1 + difference / share) / 2
  const center = n * share
  const reach = 6 * Math.sqrt(Math.max(1, n * share * (1 - share))) + 1
  let power = 0
  for (
    let differing = Math.max(0, Math.floor(center - reach));
    differing <= Math.min(n, center + reach);
    differing += 1
  )
    power += binomial(differing, n, share) * powerOf(differing, gained)
  return Math.min(1, power)
}

/** The power if this many items differ and each is a gain with this probability. */
function powerOf(differing: number, gained: number): number {
  const least = leastGains(differing)
  return least > differing ? 0 : binomialAtLeast(least, differing, gained)
}

/** The number of gains from which on the test finds a difference. */
function leastGains(differing: number): number {
  let [low, high] = [Math.floor(differing / 2), differing + 1]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    // The mid-p of a binomial counts half of its own probability.
    const p = binomialAtLeast(middle, differing, 0.5) - binomial(middle, differing, 0.5) / 2
    if (2 * p < 0.05) high = middle
    else low = middle
  }
  return high
}

function binomialAtLeast(k: number, n: number, p: number): number {
  return k <= 0 ? 1 : regularizedBeta(p, k, n - k + 1)
}

function binomial(k: number, n: number, p: number): number {
  if (p === 0 || p === 1) return Number(k === p * n)
  return Math.exp(logChoose(n, k) + k * Math.log(p) + (n - k) * Math.log1p(-p))
}

const POWER = 0.8

/** Up to this number of items the power is enumerated; beyond, Connor's formula differs by less than a point. */
const ENUMERATED_MAX = 500

/** The smallest difference that is found with a power of 80 %; undefined if not even a difference of 1 is. */
export function detectablePairedRate(n: number, discordance: number): number | undefined {
  const isFound = (difference: number) =>
    n > ENUMERATED_MAX
      ? connorSize(difference, discordance) <= n
      : pairedRatePower({ n, difference, discordance }) >= POWER
  if (n === 0 || !isFound(1)) return undefined
  let [missed, found] = [0, 1]
  for (let step = 0; step < 25; step += 1) {
    const middle = (missed + found) / 2
    if (isFound(middle)) found = middle
    else missed = middle
  }
  return found
}

/** The number of items with which a difference is found with a power of 80 %; undefined for no difference. */
export function itemsForPairedRate(difference: number, discordance: number): number | undefined {
  if (!(difference > 0 && difference <= 1)) return undefined
  const isFound = (n: number) => pairedRatePower({ n, difference, discordance }) >= POWER
  if (!isFound(ENUMERATED_MAX)) return Math.ceil(connorSize(difference, discordance) * (1 - 1e-12))
  let [missed, found] = [0, ENUMERATED_MAX]
  while (found - missed > 1) {
    const middle = Math.round((missed + found) / 2)
    if (isFound(middle)) found = middle
    else missed = middle
  }
  return found
}

/**
 * Connor, R. J. (1987), Sample size for testing differences in proportions for the paired-sample design, Biometrics 43,
 * 207–211: (z₁₋α⸝₂ √ψ + z_power √(ψ − δ²))² / δ². A difference of δ requires that at least δ of the items differ.
 */
function connorSize(difference: number, discordance: number): number {
  const share = Math.max(discordance, difference)
  const asIfEqual = normalQuantile(0.975) * Math.sqrt(share)
  const asTheyAre = normalQuantile(POWER) * Math.sqrt(share - difference ** 2)
  return ((asIfEqual + asTheyAre) / difference) ** 2
}
