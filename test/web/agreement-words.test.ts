import { expect, it } from 'vitest'
import { agreementInWords } from '../../web/src/pages/agreement/agreement-model.ts'

it.each([
  [{ low: 0.14, mean: 0.72, high: 0.97 }, 'Not clear yet whether raters mean the same'],
  [{ low: -0.2, mean: 0.3, high: 0.8 }, 'Not clear yet whether raters mean the same'],
  [{ low: 0.81, mean: 0.9, high: 0.97 }, 'Raters mean the same'],
  [{ low: 0.7, mean: 0.8, high: 0.9 }, 'Raters mostly mean the same'],
  [{ low: 0.2, mean: 0.4, high: 0.6 }, 'Raters often do not mean the same'],
  [{ low: -0.1, mean: 0.1, high: 0.3 }, 'Raters may agree only by chance'],
])('says no more than what the whole interval %j shows', (estimate, words) => {
  expect(agreementInWords({ ...estimate, n: 12 })).toBe(words)
})
