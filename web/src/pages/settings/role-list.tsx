import { roles } from '../shell/roles.ts'

export function RoleList() {
  return (
    <section className="mt-10">
      <h2 className="mb-3 font-display text-section font-semibold">What each role may do</h2>
      <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-1.5 text-data">
        {roles.map(({ role, text }) => (
          <div key={role} className="contents">
            <dt className="font-medium">{role}</dt>
            <dd className="text-soft">{text}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
