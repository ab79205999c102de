/** The methods of a comparison in words, with references. A report shows those that its metrics use, by the names of their methods. */
export type MethodText = { name: string; text: string }

const METHODS: (MethodText & { uses: RegExp })[] = [
  {
    uses: /McNemar/,
    name: 'Mid-p McNemar test and its interval',
    text: 'For yes/no values, one per item: how probable would so uneven a split of the changed items be if both runs were equally good? The interval has every difference that this test does not exclude. Fagerland, Lydersen & Laake (2013), BMC Medical Research Methodology 13.',
  },
  {
    uses: /one more (item|group)/,
    name: 'Scores',
    text: 'The t interval of the mean difference, or that of a Bayesian bootstrap with one item more than was seen, whichever is wider. The test is read from the same curve. Student (1908), Biometrika 6; Rubin (1981), Annals of Statistics 9.',
  },
  {
    uses: /logarithms of the ratios/,
    name: 'Ratios',
    text: 'Durations, costs and tokens are compared by the ratio of each item: the geometric mean, with the t interval of its logarithm. The ratio of the totals is given next to it.',
  },
  {
    uses: /Fieller/,
    name: 'Ratio of totals',
    text: 'Where items are 0 in one of the runs, the totals are compared. Fieller (1954), Journal of the Royal Statistical Society B 16.',
  },
  {
    uses: /Wilson/,
    name: 'Wilson’s interval',
    text: '95 % interval for a rate. Wilson (1927), Journal of the American Statistical Association 22.',
  },
  {
    uses: /BCa|ABC/,
    name: 'Bootstrap interval',
    text: '95 % interval of a mean by drawing the items again, corrected for bias and skew. Draws are seeded: the same data give the same interval. Efron (1987), Journal of the American Statistical Association 82; DiCiccio & Efron (1992), Biometrika 79.',
  },
  {
    uses: /cluster|group/i,
    name: 'Groups of items',
    text: 'Items of one document or conversation are not independent; intervals and tests count groups. Bell & McCaffrey (2002), Survey Methodology 28.',
  },
  {
    uses: /^planned look$/,
    name: 'Planned looks',
    text: 'The comparison was planned to be read several times while items are added. Each look has a level that depends on the share of the planned items, so that all together find a false difference in at most 5 of 100 comparisons. Lan & DeMets (1983), Biometrika 70; O’Brien & Fleming (1979), Biometrics 35.',
  },
  {
    uses: /e-value|always-valid/i,
    name: 'Always-valid inference',
    text: 'Interval and test stay valid however often the comparison is read while items are added. Waudby-Smith & Ramdas (2024), Journal of the Royal Statistical Society B 86.',
  },
]

const ALWAYS: MethodText[] = [
  {
    name: 'Verdict',
    text: 'Better or worse is said if the interval of the difference excludes 0, which is the same as a corrected p-value below the level of the look, 0.05 without a plan. “Equivalent” needs a margin and an interval inside it; “no clear difference” does not mean “equal”. There is no average over metrics.',
  },
  {
    name: 'Holm’s correction',
    text: 'p and interval are corrected for the number of metrics that count, so that more metrics do not find more false differences. Holm (1979), Scandinavian Journal of Statistics 6.',
  },
  {
    name: 'Missing items',
    text: 'Items that only one run has a value for are counted. An improvement must remain if they count at the worst value. Horowitz & Manski (2000), Journal of the American Statistical Association 95.',
  },
]

export function methodsOf(names: readonly string[]): MethodText[] {
  return [...ALWAYS, ...METHODS.filter(({ uses }) => names.some((name) => uses.test(name)))]
}
