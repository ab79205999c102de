import type { Spending } from '../../api/generated/api.ts'
import { countOf, formatCost } from '../../ui/format-number.ts'

const KINDS = { judges: 'Judges', playground: 'Playground', trials: 'Trials', experiments: 'Experiments' }

export function SpendingTable({ spending: { today, last30Days } }: { spending: Spending }) {
  const rows = last30Days.kinds.map(({ kind, usd }) => ({
    name: KINDS[kind],
    today: today.kinds.find((other) => other.kind === kind)?.usd ?? 0,
    month: usd,
  }))
  return (
    <div>
      <table aria-label="Spending" className="w-full max-w-md tabular-nums">
        <thead className="text-left text-data text-soft">
          <tr>
            <th scope="col" className="py-1 font-normal">
              Spent by
            </th>
            <th scope="col" className="py-1 text-right font-normal">
              Today
            </th>
            <th scope="col" className="py-1 text-right font-normal">
              30 days
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, today: ofToday, month }) => (
            <Row key={name} name={name} cells={[ofToday, month]} />
          ))}
        </tbody>
        <tfoot className="border-t border-line font-medium">
          <Row name="All" cells={[today.usd, last30Days.usd]} />
        </tfoot>
      </table>
      {last30Days.reservedUsd > 0 && (
        <p className="mt-2 text-data text-soft">
          {formatCost(last30Days.reservedUsd)} of it is the maximum of calls that have not ended.
        </p>
      )}
      {last30Days.unpricedCalls > 0 && (
        <p className="mt-2 text-data text-soft">
          {countOf(last30Days.unpricedCalls, 'call')} of models without a price{' '}
          {last30Days.unpricedCalls === 1 ? 'is' : 'are'} not part of it.
        </p>
      )}
    </div>
  )
}

function Row({ name, cells }: { name: string; cells: [today: number, month: number] }) {
  const [today, month] = cells
  return (
    <tr>
      <th scope="row" className="py-1 text-left font-normal">
        {name}
      </th>
      <td className="py-1 text-right">{formatCost(today)}</td>
      <td className="py-1 text-right">{formatCost(month)}</td>
    </tr>
  )
}
