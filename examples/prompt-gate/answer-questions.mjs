/** Runs the component on all items and prints one trace per line: node answer-questions.mjs PROMPT RUN [ITEMS] */
import { readFileSync } from 'node:fs'
import { sortMessage } from './component.mjs'

const [promptFile, run, count = 'all'] = process.argv.slice(2)
const prompt = readFileSync(promptFile, 'utf8')
const lines = readFileSync(new URL('questions.jsonl', import.meta.url), 'utf8').trim().split('\n')
for (const [number, line] of lines.slice(0, count === 'all' ? lines.length : Number(count)).entries()) {
  const { input } = JSON.parse(line)
  const output = sortMessage(prompt, input)
  // With an id, sending the same trace again changes nothing: a job that is repeated does not count twice.
  console.log(JSON.stringify({ traceId: `${run}-${number}`, name: 'sort message', input, output, dataset: 'Messages', run }))
}
