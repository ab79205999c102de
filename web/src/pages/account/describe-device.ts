/** In this order, because Edge also names Chrome, and Chrome names Safari. */
const programs: [RegExp, string][] = [
  [/Edg(?:e|A|iOS)?\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/SamsungBrowser\//, 'Samsung Internet'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/Chrome\/|CriOS\//, 'Chrome'],
  [/Safari\//, 'Safari'],
]

const systems: [RegExp, string][] = [
  [/Windows/, 'Windows'],
  [/Android/, 'Android'],
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Mac OS X|Macintosh/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
]

/** "Firefox on Linux"; another program by the name that it sends, such as "curl". */
export function describeDevice(userAgent: string | null): string {
  if (!userAgent) return 'Unknown device'
  const program = nameIn(userAgent, programs) ?? userAgent.split(/[\s/(]/)[0]?.slice(0, 40)
  const system = nameIn(userAgent, systems)
  return [program || 'Unknown program', system && `on ${system}`].filter(Boolean).join(' ')
}

function nameIn(text: string, known: [RegExp, string][]): string | undefined {
  return known.find(([pattern]) => pattern.test(text))?.[1]
}
