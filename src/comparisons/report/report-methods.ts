/** The methods of a comparison in words, with references. A report shows those that its metrics use, by the names of their methods. */
export type MethodText = { name: string; text: string }

const METHODS: (MethodText & { uses: RegExp })[] = [
  {
    uses: /McNemar/,
    name: 'Exact McNemar test',
    text: 'For yes/no values, one per item: how probable would so uneven a split of the changed items be if both runs were equally good? McNemar (1947), Psychometrika 12.',
  },
  {
    uses: /Newcombe/,
    name: 'Newcombe’s interval',
    text: '95 % interval for the difference of two rates on the same items. Newcombe (1998), Statistics in Medicine 17, 2635–2650.',
  },
  {
    uses: /Wilcoxon|signed.rank/i,
    name: 'Wilcoxon signed-rank test',
    text: 'For scores: did the items rise or fall together? Counted exactly up to 300 items that differ. Wilcoxon (1945), Biometrics Bulletin 1.',
  },
  {
    uses: /Wilson/,
    name: 'Wilson’s interval',
    text: '95 % interval for a rate. Wilson (1927), Journal of the American Statistical Association 22.',
  },
  {
    uses: /bootstrap|BCa|ABC/i,
    name: 'Bootstrap interval',
    text: '95 % interval of a mean by drawing the items again, corrected for bias and skew. Draws are seeded: the same data give the same interval. Efron (1987), Journal of the American Statistical Association 82; DiCiccio & Efron (1992), Biometrika 79.',
  },
  {
    uses: /cluster|group/i,
    name: 'Groups of items',
    text: 'Items of one document or conversation are not independent; intervals and tests count groups. Bell & McCaffrey (2002), Survey Methodology 28.',
  },
  {
    uses: /e-value|always-valid/i,
    name: 'Always-valid inference',
    text: 'Interval and test stay valid however often the comparison is read while items are added. Howard et al. (2021), Annals of Statistics 49.',
  },
]

const ALWAYS: MethodText[] = [
  {
    name: 'Verdict',
    text: 'Better or worse is said only if the 95 % interval of the difference excludes 0, the corrected p-value is below 0.05, and losses in items that the sample may have missed could not cancel it. “No clear difference” does not mean “equal”. There is no average over metrics.',
  },
  {
    name: 'Holm’s correction',
    text: 'p is corrected for the number of metrics that count, so that more metrics do not find more false differences. Holm (1979), Scandinavian Journal of Statistics 6.',
  },
  {
    name: 'Missing items',
    text: 'Items that only one run has a value for are counted. An improvement must remain if they count at the worst value. Horowitz & Manski (2000), Journal of the American Statistical Association 95.',
  },
]

export function methodsOf(names: readonly string[]): MethodText[] {
  return [...ALWAYS, ...METHODS.filter(({ uses }) => names.some((name) => uses.test(name)))]
}
