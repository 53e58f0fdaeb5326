import type { PolicyPlan } from '@muster/contract/policies/assigned-policies'
import classes from './Policies.module.css'
import { countMachines, describeChange } from './policy-labels.ts'

/** The changes of a save, and the affected machines. */
export function PlanView({ plan: { agents_count, lines, agents } }: { plan: PolicyPlan }) {
  if (agents_count === 0) {
    return <p className={classes.lead}>No machine is affected.</p>
  }
  return (
    <>
      <p className={classes.lead}>
        <strong>{countMachines(agents_count)}</strong> will change:
      </p>
      <table className={classes.plan} aria-label="Changes">
        <thead>
          <tr>
            <th scope="col">Change</th>
            <th scope="col">Item</th>
            <th scope="col" className={classes.number}>
              Machines
            </th>
          </tr>
        </thead>
        <tbody>
          {lines.map(({ kind, change, what, agents_count: count }) => (
            <tr key={`${kind} ${change} ${what}`}>
              <td>{describeChange({ kind, change })}</td>
              <td>
                <bdi>{what}</bdi>
              </td>
              <td className={classes.number}>{count}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <details>
        <summary className="dim small">Show machines</summary>
        <ul className="plain-list">
          {agents.map(({ agent_id, hostname, client_name, site_name, changes }) => (
            <li key={agent_id} className={classes.line}>
              <span className={classes.lineText}>
                <bdi className="strong">{hostname}</bdi>{' '}
                <span className="dim small">
                  {client_name}, {site_name}
                </span>
              </span>
              <span className="dim small">
                {changes.length} {changes.length === 1 ? 'change' : 'changes'}
              </span>
            </li>
          ))}
        </ul>
        {agents_count > agents.length && <p className="dim small">and {agents_count - agents.length} more</p>}
      </details>
    </>
  )
}
