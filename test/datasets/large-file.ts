/** A CSV file of 10,000 rows, of which 13 are bad, each in a way that is known. */
type BadRow = { row: number; column: string | null; reason: string; found: string | null }

export const ROWS = 10_000

const JSON_MESSAGE = 'is not valid JSON'
const SPLIT_MESSAGE = 'must be one of train, validation, test'
const BROKEN_MESSAGE = 'has broken characters (not valid UTF-8 or UTF-16)'

/** By the number of the row, in which the header is row 1. */
const BAD: ReadonlyMap<number, { line: Buffer | string; bad: Omit<BadRow, 'row'> }> = new Map([
  [7, { line: 'seven,a,tset,mail,{}', bad: { column: 'split', reason: SPLIT_MESSAGE, found: 'tset' } }],
  [8, { line: ',no question,test,mail,{}', bad: { column: 'question', reason: required(), found: null } }],
  [523, { line: 'q,a,test,mail', bad: { column: null, reason: cells(4), found: 'q, a, test, mail' } }],
  [524, { line: 'q,a,test,mail,"{""id"": }"', bad: { column: 'order', reason: JSON_MESSAGE, found: '{"id": }' } }],
  [1_000, { line: 'q,a,Test,mail,1', bad: { column: 'split', reason: SPLIT_MESSAGE, found: 'Test' } }],
  [
    1_001,
    { line: 'q,a,test,mail,1,more', bad: { column: null, reason: cells(6), found: 'q, a, test, mail, 1, more' } },
  ],
  [
    4_999,
    {
      line: Buffer.from('K\xf8n jeg bytte?,a,test,mail,1', 'latin1'),
      bad: { column: 'question', reason: BROKEN_MESSAGE, found: 'K\ufffdn jeg bytte?' },
    },
  ],
  [
    5_000,
    {
      line: 'q,"",test,mail,nope',
      bad: { column: 'order', reason: JSON_MESSAGE, found: 'nope' },
    },
  ],
  [
    7_777,
    {
      line: Buffer.concat([Buffer.from('q,a'), Buffer.from([0xff]), Buffer.from(',test,mail,1')]),
      bad: { column: 'answer', reason: BROKEN_MESSAGE, found: 'a\ufffd' },
    },
  ],
  [8_000, { line: 'q,a\0b,test,mail,1', bad: { column: 'answer', reason: stored(), found: 'a\ufffdb' } }],
  [9_999, { line: ',,,,', bad: { column: 'question', reason: required(), found: null } }],
  [10_000, { line: 'q', bad: { column: null, reason: cells(1), found: 'q' } }],
  [10_001, { line: 'q,a,dev,,', bad: { column: 'split', reason: SPLIT_MESSAGE, found: 'dev' } }],
])

export const BAD_ROWS: BadRow[] = [...BAD].map(([row, { bad }]) => ({ row, ...bad }))

/** `order` is read as JSON; the others need no mapping. */
export const MAPPING = JSON.stringify({ order: { field: 'metadata.order', as: 'json' } })

export function largeFile(): Buffer {
  const lines: Buffer[] = [Buffer.from('question,answer,split,channel,order\r\n')]
  for (let row = 2; row <= ROWS + 1; row += 1) {
    const line = BAD.get(row)?.line ?? `"Question ${row}, with a\nline break",Answer ${row},train,mail,${row}`
    lines.push(Buffer.from(line), Buffer.from('\r\n'))
  }
  return Buffer.concat(lines)
}

function required(): string {
  return 'An input or a traceId is required'
}

function stored(): string {
  return 'has a character that cannot be stored (U+0000)'
}

function cells(count: number): string {
  return `${count} ${count === 1 ? 'cell' : 'cells'} where there are 5 columns`
}
